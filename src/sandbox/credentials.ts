import { lstatSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { CREDENTIAL_PLACES } from "./credential-places.ts";
import { realIfThere } from "./named-paths.ts";
import { isWithin, outermost } from "./path-sets.ts";

/** What code doesn't get to see. All paths are absolute and real, and none lies in another one of its list. */
export interface HiddenPaths {
  hidden: string[];
  /** What is to be seen though it lies in a hidden folder. */
  exceptions: string[];
}

/**
 * Files and folders that may hold credentials on a platform, whether they exist or not, as absolute paths; a `*` in one
 * stands for anything within one name. Windows has none: nothing is hidden there.
 *
 * @param variables the server's; some of them move such a file, or all of them (`XDG_CONFIG_HOME`)
 */
export function credentialPaths(
  home: string,
  platform: NodeJS.Platform,
  variables: NodeJS.ProcessEnv = {},
): string[] {
  if (platform === "win32") return [];
  const isMac = platform === "darwin";
  const rootsHome = isMac ? "/var/root" : "/root";
  const places = CREDENTIAL_PLACES.flatMap((group) => [
    ...group.everywhere,
    ...((isMac ? group.mac : group.linux) ?? []),
  ]);
  const found = places.flatMap((place) => expand(place, home, variables));
  if (!isWithin(home, rootsHome)) found.push(rootsHome);
  return [...new Set(found)];
}

/**
 * What is to be hidden here: the credentials that exist, by their real paths, less what may be read after all. What
 * doesn't exist yet isn't among them.
 *
 * @param allowRead paths that may be read with all that is in them; one inside a hidden folder becomes an exception
 */
export function existingCredentials(
  home: string,
  platform: NodeJS.Platform,
  allowRead: readonly string[],
  variables: NodeJS.ProcessEnv = process.env,
): HiddenPaths {
  const [own, allowed] = [realIfThere(home), allowRead.map(realIfThere)];
  const found = credentialPaths(home, platform, variables)
    .flatMap(matches)
    .map(realIfThere)
    .filter((path) => isFileOrFolder(path) && !isWithin(own, path))
    .filter((path) => !allowed.some((folder) => isWithin(path, folder)));
  const hidden = outermost(found);
  const exceptions = allowed.filter((path) => hidden.some((folder) => isWithin(path, folder)));
  return { hidden, exceptions: outermost(exceptions) };
}

/**
 * Where credentials may come to lie while the server runs: places that are empty now, real as far as they exist. Those with
 * a `*` in their names are not among them.
 *
 * @param allowRead as for {@link existingCredentials}
 */
export function futureCredentials(
  home: string,
  platform: NodeJS.Platform,
  allowRead: readonly string[],
  variables: NodeJS.ProcessEnv = process.env,
): string[] {
  const [own, allowed] = [realIfThere(home), allowRead.map(realIfThere)];
  return credentialPaths(home, platform, variables)
    .filter((path) => !path.includes("*") && !isWithin(own, path))
    .filter(isAbsent)
    .map(realAsFarAsThere)
    .filter((path) => !allowed.some((folder) => isWithin(path, folder)));
}

function isAbsent(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false; // it may be there, where this user can't look
  }
}

function realAsFarAsThere(path: string): string {
  const real = realIfThere(path);
  const above = dirname(path);
  return real !== path || above === path ? real : join(realAsFarAsThere(above), basename(path));
}

/** The absolute paths that a place of the list means; none where it hangs on a variable that isn't set. */
function expand(place: string, home: string, variables: NodeJS.ProcessEnv): string[] {
  const [, base = "", rest = ""] = /^(~|\$\w+|)(.*)$/.exec(place) ?? [];
  return basesOf(base, home, variables)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, rest));
}

function basesOf(base: string, home: string, variables: NodeJS.ProcessEnv): string[] {
  switch (base) {
    case "":
      return ["/"];
    case "~":
      return [home];
    // programs that know nothing of the variable stay with the usual folder
    case "$config":
      return [join(home, ".config"), variables["XDG_CONFIG_HOME"] ?? ""];
    case "$data":
      return [join(home, ".local/share"), variables["XDG_DATA_HOME"] ?? ""];
    case "$cache":
      return [join(home, ".cache"), variables["XDG_CACHE_HOME"] ?? ""];
    case "$app":
      return [join(home, "Library/Application Support")];
    default:
      return (variables[base.slice(1)] ?? "").split(":");
  }
}

/** What a path with `*` in its names matches; the path itself where it has none. */
function matches(path: string): string[] {
  const [first = "", ...names] = path.split("/");
  let found = [first];
  for (const name of names) {
    const next = name.includes("*") ? pattern(name) : undefined;
    found = found.flatMap((folder) =>
      next === undefined
        ? [`${folder}/${name}`]
        : namesIn(folder)
            .filter((entry) => next.test(entry))
            .map((entry) => `${folder}/${entry}`),
    );
  }
  return found;
}

function pattern(name: string): RegExp {
  const literals = name
    .split("*")
    .map((text) => text.replace(/[$()+.?[\\\]^{|}]/g, String.raw`\$&`));
  return new RegExp(`^${literals.join(".*")}$`, "s");
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder === "" ? "/" : folder);
  } catch {
    return []; // what can't be listed can't be read by the code either
  }
}

/** Histories are often linked to `/dev/null`, and that must not be hidden. */
function isFileOrFolder(path: string): boolean {
  try {
    const found = statSync(path);
    return found.isFile() || found.isDirectory() || found.isSocket();
  } catch {
    return false;
  }
}
