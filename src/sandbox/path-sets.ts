import { dirname, isAbsolute, relative, sep } from "node:path";

/** Whether a path is a folder or lies in it. Both absolute and without `..`; links are not looked at. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The paths without those that lie in another one, each once. */
export function outermost(paths: readonly string[]): string[] {
  const distinct = [...new Set(paths)];
  return distinct.filter(
    (path) => !distinct.some((other) => other !== path && isWithin(path, other)),
  );
}

/** What lies both in a folder of the one list and in a folder of the other. */
export function intersectFolders(one: readonly string[], other: readonly string[]): string[] {
  const both = one.flatMap((path) =>
    other.flatMap((second) => {
      if (isWithin(path, second)) return [path];
      return isWithin(second, path) ? [second] : [];
    }),
  );
  return outermost(both);
}

/** The folders above a path, from the nearest up to `top`; none if the path doesn't lie in it. */
export function foldersBetween(path: string, top: string): string[] {
  const folders: string[] = [];
  for (let folder = path; folder !== top && isWithin(folder, top);) {
    folder = dirname(folder);
    folders.push(folder);
  }
  return folders;
}
