import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { realIfThere } from "./named-paths.ts";
import { isWithin, outermost } from "./path-sets.ts";

const USUAL = ["/tmp", "/var/tmp", "/run"];

/**
 * Folders that programs of all kinds leave things in, sockets among them: a run finds an empty one of its own in the
 * place of each. The first is where its own temporary files go.
 */
export function temporaryFolders(): string[] {
  const named = [tmpdir(), process.env["XDG_RUNTIME_DIR"] ?? "/run"];
  return outermost([...USUAL, ...named].map(realIfThere).filter(isFolder));
}

/**
 * Whether a folder lies below one for files that are not meant to last, and is none itself: such a folder may be shown to
 * who asks for it by name, unlike those of services.
 */
export function isOrdinaryTemporary(path: string): boolean {
  const folders = ["/tmp", "/var/tmp", tmpdir()].map(realIfThere);
  return folders.some((folder) => path !== folder && isWithin(path, folder));
}

/** Whether there is a folder that can be looked into. */
export function isFolder(path: string): boolean {
  try {
    readdirSync(path);
    return true;
  } catch {
    return false;
  }
}
