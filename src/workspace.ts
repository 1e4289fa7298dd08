import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chooseWorkspace } from "./config.ts";

/** Short, since multiprocessing makes sockets below it, whose paths end at 104 bytes. */
const PREFIX = "pyx-";

/** The folders of one server: the one that code works in, and the server's own, which is gone when the server is. */
export interface Folders {
  /** What a relative `cwd` is taken from; the default `cwd`. */
  workspace: string;
  /** Only this user may enter it: sources, temporary files and sockets of runs. */
  root: string;
  /** Why the workspace is not what the operator may expect; for the first answer. */
  notice: string | undefined;
  /** Removes the server's own folder with all that is in it. */
  remove: () => void;
}

/** Makes the server's own folder and settles the workspace. */
export function createFolders(workspace: string | undefined, current: string): Folders {
  const root = mkdtempSync(join(realpathSync(tmpdir()), PREFIX));
  const remove = (): void => {
    process.off("exit", remove);
    try {
      rmSync(root, { recursive: true, force: true, maxRetries: 2 });
    } catch {
      // what a process that ends just now still writes is removed by that process
    }
  };
  process.once("exit", remove);
  const chosen = chooseWorkspace(workspace, current);
  if (chosen !== undefined) return { workspace: chosen, root, notice: undefined, remove };
  const scratch = mkdtempSync(join(root, "workspace-"));
  const notice =
    `Code works in an empty scratch folder, ${scratch}, which is removed when the server ends: the server was ` +
    `started in ${current}, where code should not be let loose. Start it with \`--workspace DIR\` to work in a folder of yours.`;
  return { workspace: scratch, root, notice, remove };
}
