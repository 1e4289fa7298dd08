import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { realIfThere } from "./named-paths.ts";
import { outermost } from "./path-sets.ts";

const USUAL = ["/tmp", "/var/tmp", "/run"];

/**
 * Folders that programs of all kinds leave things in, sockets among them: a run finds an empty one of its own in the
 * place of each. The first is where its own temporary files go.
 */
export function temporaryFolders(): string[] {
  const named = [tmpdir(), process.env["XDG_RUNTIME_DIR"] ?? "/run"];
  return outermost([...USUAL, ...named].map(realIfThere).filter(isFolder));
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
