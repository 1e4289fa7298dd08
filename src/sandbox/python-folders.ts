import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { Interpreter } from "../interpreter/discover.ts";
import { realIfThere } from "./named-paths.ts";
import { isWithin } from "./path-sets.ts";
import { isOrdinaryTemporary, temporaryFolders } from "./temporary.ts";

/**
 * Folders that an interpreter needs, which have to be seen even if they lie where everything is hidden: its prefix, and that
 * of the one that a virtual environment was made from.
 *
 * A virtual environment that code can write may have been made by code: what it names is not believed then, or a link to
 * your keys would uncover them. Only the default interpreter's folder is, since that is the operator's choice.
 */
export async function pythonFolders(
  interpreter: Interpreter,
  writable: readonly string[],
  findDefault: () => Promise<Interpreter>,
): Promise<string[]> {
  const { program, virtualEnv, isCodes } = locate(interpreter, writable);
  if (!isCodes) {
    return [
      prefixOf(program),
      ...(virtualEnv === undefined ? [] : [realIfThere(virtualEnv), ...homeOf(virtualEnv)]),
    ];
  }
  const linked = virtualEnv === undefined ? [] : linkedEnvironment(virtualEnv, writable);
  if (isUsual(program)) return linked; // it is seen anyway, and to find the default one may take long
  const found = await findDefault().then(
    (byDefault) => locate(byDefault, writable),
    () => undefined,
  );
  return found === undefined || found.isCodes ? linked : [prefixOf(found.program), ...linked];
}

/**
 * Where an interpreter is, with the links that lead to it resolved once, so that code can't change them between a look and
 * the next; and whether code could have put it there.
 */
function locate(
  { python, virtualEnv }: Interpreter,
  writable: readonly string[],
): { program: string; virtualEnv: string | undefined; isCodes: boolean } {
  const [program, place] = [realIfThere(python), placeOf(python)];
  const folder = virtualEnv === undefined ? undefined : placeOf(virtualEnv);
  const all = [program, place, ...(folder === undefined ? [] : [folder, realIfThere(folder)])];
  const isCodes = all.some((path) => writable.some((other) => isWithin(path, other)));
  return { program, virtualEnv: folder, isCodes };
}

/** Where the last name of a path stands, which may be a link itself. */
function placeOf(path: string): string {
  return join(realIfThere(dirname(path)), basename(path));
}

/**
 * Where a link to a virtual environment leads, if that is one and lies in a temporary folder: it holds nothing but
 * packages, whoever has made the link.
 */
function linkedEnvironment(virtualEnv: string, writable: readonly string[]): string[] {
  const real = realIfThere(virtualEnv);
  const isElsewhere = !writable.some((folder) => isWithin(real, folder));
  const isOne = isElsewhere && isOrdinaryTemporary(real) && existsSync(join(real, "pyvenv.cfg"));
  return isOne ? [real] : [];
}

/** Whether a program is where programs are, and nothing is hidden as a whole. */
function isUsual(program: string): boolean {
  const home = realIfThere(homedir());
  const away = [...temporaryFolders(), "/root"].filter((folder) => !isWithin(home, folder));
  return !away.some((folder) => isWithin(program, folder));
}

function prefixOf(program: string): string {
  return dirname(dirname(program));
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
