import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "./eventually.ts";
import { processesMentioning } from "./processes.ts";

/** The folders that one test gives to the product, so that whatever it leaves behind can be found. */
export interface TestFolder {
  /** In the arguments, the variables or the working directory of every process that belongs to the test. */
  readonly path: string;
  /** Where code works. */
  readonly workspace: string;
  /** What the product and its runs have for `TMPDIR`. */
  readonly temp: string;
  /** Processes of the test that are left, and names in {@link temp}. */
  leftovers(): string[];
  /** The same, but what is gone within some seconds is not listed. */
  lastingLeftovers(): Promise<string[]>;
  remove(): void;
}

/** Makes the folders. Their names are short, since paths of sockets below them end at 104 bytes. */
export function makeTestFolder(): TestFolder {
  const path = mkdtempSync(join(realpathSync(tmpdir()), "pt-"));
  const [workspace, temp] = [join(path, "w"), join(path, "t")];
  mkdirSync(workspace);
  mkdirSync(temp);
  const leftovers = (): string[] => [
    ...processesMentioning(path).map(({ pid, command }) => `process ${pid}: ${command}`),
    ...readdirSync(temp).map((name) => `in the temporary folder: ${name}`),
  ];
  return {
    path,
    workspace,
    temp,
    leftovers,
    lastingLeftovers: async () => {
      await eventually(() => leftovers().length === 0);
      return leftovers();
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
