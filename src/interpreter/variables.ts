import { delimiter, dirname } from "node:path";
import type { Interpreter } from "./discover.ts";

/**
 * What a program needs to find its way on a machine. Everything else stays with the server: a list of what looks secret
 * would never be complete.
 */
const NEEDED = names(`
  PATH HOME USER LOGNAME SHELL TZ LANG LANGUAGE TMPDIR TMP TEMP
  XDG_RUNTIME_DIR XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME
`);
/** Where libraries are found and how they are tuned, on machines that need it. */
const NEEDED_BY_LIBRARIES = names(`
  LD_LIBRARY_PATH DYLD_LIBRARY_PATH OPENBLAS_CORETYPE OPENBLAS_L2_SIZE
`);
/** Windows can't start programs or open sockets without these. */
const NEEDED_ON_WINDOWS = names(`
  SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA PROGRAMDATA
  PROGRAMFILES PROGRAMFILES(X86) NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE USERNAME COMPUTERNAME
`);
const ALL_NEEDED = new Set([...NEEDED, ...NEEDED_BY_LIBRARIES, ...NEEDED_ON_WINDOWS]);
const isLocale = (name: string): boolean => name.startsWith("LC_");

/**
 * The variables that code sees.
 *
 * @param own the server's variables
 * @param allowed names that the operator lets through besides; unset and empty mean none
 * @param isConfined whether code finds only temporary folders of its own, and can't write to its home
 */
export function variablesFor(
  interpreter: Interpreter,
  own: NodeJS.ProcessEnv,
  allowed: readonly string[],
  isConfined = false,
): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(own)) {
    const isWanted = ALL_NEEDED.has(name.toUpperCase()) || isLocale(name) || allowed.includes(name);
    if (isWanted && value !== undefined) variables[name] = value;
  }
  const { virtualEnv, condaPrefix } = interpreter;
  if (virtualEnv !== undefined) variables["VIRTUAL_ENV"] = virtualEnv;
  if (condaPrefix !== undefined) variables["CONDA_PREFIX"] = condaPrefix; // where its libraries look for their data
  if (virtualEnv !== undefined || condaPrefix !== undefined) {
    variables["PATH"] = [dirname(interpreter.python), variables["PATH"] ?? ""]
      .filter(Boolean)
      .join(delimiter);
  }
  if (isConfined) {
    delete variables["XDG_RUNTIME_DIR"];
    variables["MPLCONFIGDIR"] ??= "/tmp/.matplotlib"; // it warns where it can't write, and it is not to write at home
  }
  // text is UTF-8 whatever the locale of the server is, also in programs that the code starts (PEP 540)
  variables["PYTHONUTF8"] = "1";
  return variables;
}

function names(list: string): string[] {
  return list.trim().split(/\s+/);
}
