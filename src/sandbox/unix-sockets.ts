import { lstatSync, readFileSync } from "node:fs";
import { realIfThere } from "./named-paths.ts";

/** The table of this network's Unix sockets (proc(5), /proc/net/unix); the last field is the path, if there is one. */
const TABLE = "/proc/net/unix";
const PATH = /^(?:\S+\s+){7}(\/.*)$/;

/**
 * Sockets of other programs that have a path here, by real path and sorted. A mount that is read-only doesn't keep anyone
 * from connecting to them, and what answers there may do anything for whoever asks.
 */
export function namedSockets(): string[] {
  let table: string;
  try {
    table = readFileSync(TABLE, "utf8");
  } catch {
    return []; // not Linux
  }
  const paths = table.split("\n").flatMap((line) => PATH.exec(line)?.[1] ?? []);
  return [...new Set(paths.filter(isSocket).map(realIfThere))].toSorted();
}

function isSocket(path: string): boolean {
  try {
    return lstatSync(path).isSocket();
  } catch {
    return false; // gone, in another mount namespace, or where this user can't go
  }
}
