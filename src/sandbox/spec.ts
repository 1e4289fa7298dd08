import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { existingCredentials, futureCredentials } from "./credentials.ts";
import { realIfThere } from "./named-paths.ts";
import { isWithin, outermost } from "./path-sets.ts";
import type { Policy } from "./policy.ts";
import { namedSockets } from "./unix-sockets.ts";

/** Folders that programs of all kinds leave things in: a run finds an empty one of its own in the place of each. */
const TEMPORARY = ["/tmp", "/var/tmp", "/run"];
/**
 * What is started by others than the code, when someone works in the folder later: hooks, settings of editors and agents.
 * A run may read it only.
 */
const PROTECTED = [
  ...[".git/hooks", ".git/config", ".git/modules", ".githooks", ".husky"],
  ...[".vscode", ".idea", ".claude", ".cursor", ".codex", ".gemini", ".mcp.json"],
  ...[".envrc", ".direnv", ".bashrc", ".zshrc", ".profile", ".venv"],
];
/** What a run reaches without a proxy: itself. The operator may mean the machine's own by the same names. */
const OWN_HOSTS = ["localhost", "127.0.0.1", "::1"];
const LAYERS = ["namespaces", "landlock", "seccomp"];

/** Where a run takes place, as far as its confinement depends on it. All paths are real. */
export interface Surroundings {
  workspace: string;
  /** The server's private folder. */
  root: string;
  /** Where the Python side of this program is. */
  pythonFolder: string;
  /** Where the proxy listens, if the policy names hosts. */
  proxy: string;
  cwd: string;
  python: string;
  virtualEnv: string | undefined;
}

/**
 * What `python/py_executor_runtime/containment/spec.py` reads: the policy with everything resolved, as JSON. The same
 * text comes for all runs that may share a warm interpreter.
 */
export function describeConfinement(policy: Policy, place: Surroundings): string {
  const writable = outermost([place.workspace, ...policy.writable]);
  const isWritable = (path: string): boolean => writable.some((folder) => isWithin(path, folder));
  const temporary = temporaryFolders().filter((folder) => !writable.includes(folder));
  const allowed = [...policy.readable, ...policy.writable];
  const { hidden, exceptions } = existingCredentials(homedir(), process.platform, allowed);
  const future = futureCredentials(homedir(), process.platform, allowed);
  const needed = [place.pythonFolder, ...foldersOfPython(place)];
  const shown = needed.filter((path) => hidden.some((folder) => isWithin(path, folder)));
  const fenced = [...temporary, ...hidden, ...foldersOf([...hidden, ...future])];
  const isFenced = (path: string): boolean => fenced.some((folder) => isWithin(path, folder));
  const visited = isWritable(place.cwd) || !isFenced(place.cwd) ? [] : [place.cwd];
  const readable = outermost([...policy.readable, ...needed, ...visited]).filter(
    (path) => isFenced(path) && !isWritable(path),
  );
  // a run has other temporary folders, and those of the server are its own
  const isReachable = (path: string): boolean =>
    ![...temporary, ...allowed, place.root].some((folder) => isWithin(path, folder));
  return JSON.stringify({
    root: place.root,
    // a mount of its own can't be renamed away, and its hooks with it
    writable: [...writable, ...writable.map((folder) => join(folder, ".git")).filter(isFolder)],
    protected: protectedPaths(writable, place.virtualEnv),
    readable,
    // what is put there later is hidden as well
    hidden: [...beside(hidden, [...exceptions, ...shown]), ...future],
    sockets: namedSockets().filter(isReachable),
    temporary,
    network: typeof policy.net === "string" ? policy.net : "proxy",
    proxy: place.proxy,
    direct: OWN_HOSTS.filter((host) => !isNamed(policy, host)),
    temp_bytes: policy.limits.tempBytes,
    memory_bytes: policy.limits.memoryBytes,
    processes: policy.limits.processes,
    open_files: policy.limits.openFiles,
    file_bytes: policy.limits.fileBytes,
    cpu_seconds: policy.limits.cpuSeconds ?? 0,
    layers: LAYERS,
    strict: policy.sandbox === "strict",
  });
}

function isNamed({ net }: Policy, host: string): boolean {
  return typeof net !== "string" && net.some((rule) => rule.host === host);
}

function temporaryFolders(): string[] {
  const named = [tmpdir(), process.env["XDG_RUNTIME_DIR"] ?? "/run"];
  return outermost([...TEMPORARY, ...named].map(realIfThere).filter(isFolder));
}

/** Where an interpreter and its library are: its prefix, and that of the one that a virtual environment was made from. */
function foldersOfPython({ python, virtualEnv }: Surroundings): string[] {
  const program = realIfThere(python);
  const folders = [dirname(dirname(program))];
  if (virtualEnv !== undefined) folders.push(realIfThere(virtualEnv), ...homeOf(virtualEnv));
  return folders;
}

/** The key `home` of pyvenv.cfg: the folder of the base interpreter (PEP 405). */
function homeOf(virtualEnv: string): string[] {
  try {
    const [, home] =
      /^home\s*=\s*(.+)$/m.exec(readFileSync(join(virtualEnv, "pyvenv.cfg"), "utf8")) ?? [];
    return home === undefined ? [] : [realIfThere(dirname(home.trim()))];
  } catch {
    return [];
  }
}

function protectedPaths(writable: readonly string[], virtualEnv: string | undefined): string[] {
  const named = writable.flatMap((folder) => PROTECTED.map((name) => join(folder, name)));
  const own = virtualEnv === undefined ? [] : [realIfThere(virtualEnv)];
  return [...named, ...own]
    .map(realIfThere)
    .filter((path) => existsSync(path) && writable.some((folder) => isWithin(path, folder)));
}

/** Folders in which something is hidden, the outermost one left out: what appears in them later is not visible at once. */
function foldersOf(hidden: readonly string[]): string[] {
  return [...new Set(hidden.map((path) => dirname(path)))].filter((folder) => folder !== "/");
}

/** What is hidden, less the exceptions: a folder that holds one is hidden entry by entry. */
function beside(hidden: readonly string[], exceptions: readonly string[]): string[] {
  return hidden.flatMap((path) => {
    const inside = exceptions.filter((exception) => isWithin(exception, path));
    if (inside.length === 0) return [path];
    const entries = readdirSync(path).map((name) => join(path, name));
    const others = entries.filter((entry) => !inside.includes(entry));
    return beside(others, inside);
  });
}

function isFolder(path: string): boolean {
  try {
    readdirSync(path);
    return true;
  } catch {
    return false;
  }
}
