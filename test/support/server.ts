import { fileURLToPath } from "node:url";
import { StdioClient, type StdioClientOptions } from "./stdio-client.ts";
import { makeTestFolder, type TestFolder } from "./test-folder.ts";

/** The built command line. */
const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

export interface ServerOptions extends StdioClientOptions {
  /** More options for the server. */
  readonly args?: readonly string[];
  /** Instead of the handshake with the newest protocol version that has one: none. */
  readonly isSilent?: boolean;
  /** False: without saying where the workspace is. */
  readonly namesWorkspace?: boolean;
  /** Instead of new folders. */
  readonly folder?: TestFolder;
}

/** A server with folders of its own, and a client that is connected to it. */
export interface ServerUnderTest {
  readonly folder: TestFolder;
  readonly client: StdioClient;
  /** Leaves the server; returns what is left of it then, which should be nothing, and removes the folders. */
  readonly close: () => Promise<string[]>;
}

/** How a server that works in a folder is started, and the variables that it needs for that. */
export function serverCommand(
  folder: TestFolder,
  namesWorkspace = true,
): { command: string[]; env: NodeJS.ProcessEnv } {
  return {
    command: [process.execPath, CLI, ...(namesWorkspace ? ["--workspace", folder.workspace] : [])],
    // the cache too, so that what one test learns does not speed up or slow down another
    env: { ...process.env, TMPDIR: folder.temp, XDG_CACHE_HOME: `${folder.path}/cache` },
  };
}

export async function startServer(options: ServerOptions = {}): Promise<ServerUnderTest> {
  const { args = [], isSilent = false, namesWorkspace, env, ...others } = options;
  const folder = options.folder ?? makeTestFolder();
  const own = serverCommand(folder, namesWorkspace);
  const client = new StdioClient([...own.command, ...args], {
    ...others,
    env: { ...own.env, ...env },
  });
  if (!isSilent) await client.initialize();
  return {
    folder,
    client,
    close: async () => {
      await client.leave();
      const left = await folder.lastingLeftovers();
      folder.remove();
      return left;
    },
  };
}
