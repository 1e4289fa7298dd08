import { realpathSync } from "node:fs";
import { isAbsolute, join, parse, resolve } from "node:path";
import { PyExecutorError, systemCode } from "../errors.ts";
import { foldersBetween, isWithin, outermost } from "./path-sets.ts";

/** What names of paths depend on. */
export interface Place {
  /** The folder of the person whose server it is: what `~` means. */
  home: string;
  /** The folder that relative paths are taken from. */
  current: string;
  /** Where code may write anyway, and so may have put symbolic links. */
  workspace?: string | undefined;
}

type PathOption = "allowRead" | "allowWrite";

/**
 * The real paths that the operator named, without those that lie in another one. Throws `invalid_option` for what isn't
 * there, since a slip of the pen would otherwise show only when code fails.
 *
 * @param changeable folders that code may write in: a link found there may be the work of an earlier run, and must not
 *   lead the permission elsewhere
 */
export function realPaths(
  option: PathOption,
  named: readonly string[],
  place: Place,
  changeable: readonly string[] = [],
): string[] {
  const folders = [...changeable, ...(place.workspace === undefined ? [] : [place.workspace])].map(
    realIfThere,
  );
  return outermost(
    named.map((name) => {
      const path = absolute(option, name, place);
      const real = realPath(option, name, path);
      const { root } = parse(path);
      const parents = foldersBetween(path, root).map(realIfThere);
      const left = folders.find(
        (folder) => !isWithin(real, folder) && parents.some((parent) => isWithin(parent, folder)),
      );
      if (left === undefined) return real;
      throw refusal(
        option,
        name,
        `leads out of ${left} by a symbolic link, which code could have put there. Name the target itself, ${real}, if you mean it`,
      );
    }),
  );
}

/** Throws if a path to be written is so wide that containment would mean nothing. */
export function refuseTooWide(named: readonly string[], place: Place): void {
  const home = realIfThere(place.home);
  for (const name of named) {
    const real = realIfThere(absolute("allowWrite", name, place));
    if (real === parse(real).root) {
      throw refusal(
        "allowWrite",
        name,
        "is the whole machine: code could replace your programs. Name the folders that it may write to, or set --sandbox off",
      );
    }
    if (isAbsolute(home) && isWithin(home, real)) {
      const what = real === home ? "your home" : "above your home";
      throw refusal(
        "allowWrite",
        name,
        `is ${what}: code could change what your shell starts, and your keys. Name folders in it`,
      );
    }
  }
}

/** A path without symbolic links, or as it is if it isn't there. */
export function realIfThere(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

function absolute(option: PathOption, name: string, { home, current }: Place): string {
  if (name.includes("\0")) throw refusal(option, name, "holds a NUL, which no path can");
  if (!name.startsWith("~")) return resolve(current, name);
  if (!/^~(?:$|[/\\])/.test(name)) {
    throw refusal(option, name, "begins with another user's ~. Write the whole path, or ./~…");
  }
  if (!isAbsolute(home)) throw refusal(option, name, "can't be found: HOME is no absolute path");
  return resolve(join(home, name.slice(1)));
}

function realPath(option: PathOption, name: string, path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const code = systemCode(error);
    const problem = code === "ENOENT" ? "doesn't exist" : `can't be found (${code ?? "unknown"})`;
    throw refusal(
      option,
      name,
      `${problem} (looked for ${path}). Create it, or leave it out`,
      error,
    );
  }
}

function refusal(option: string, name: string, problem: string, cause?: unknown): PyExecutorError {
  return new PyExecutorError(
    "invalid_option",
    `option ${option}: ${JSON.stringify(name)} ${problem}.`,
    { argument: option, cause },
  );
}
