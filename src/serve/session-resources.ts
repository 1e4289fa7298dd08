import {
  ResourceNotFoundError,
  ResourceTemplate,
  type ListResourcesResult,
  type McpServer,
} from "@modelcontextprotocol/server";
import type { Session } from "../sessions/session.ts";
import type { SessionStore } from "../sessions/session-store.ts";
import { sessionInfoToWire } from "../tools/session-to-wire.ts";

interface Kind {
  name: string;
  /** Of the address, after `session://{id}`. */
  path: string;
  mimeType: string;
  title: string;
  description: string;
  read: (session: Session) => string | Promise<string>;
}

const KINDS: readonly Kind[] = [
  {
    name: "session",
    path: "",
    mimeType: "application/json",
    title: "A Python session",
    description: "State, memory and variables of a session",
    read: async (session) => JSON.stringify(sessionInfoToWire(await session.describe(), true)),
  },
  {
    name: "session-history-python",
    path: "/history.py",
    mimeType: "text/x-python",
    title: "What was run in a session, as a Python file",
    description: "The code of all cells in their order, each after a line that says how it ended",
    read: ({ id, history }) => history.toPython(id),
  },
  {
    name: "session-history-notebook",
    path: "/history.ipynb",
    mimeType: "application/x-ipynb+json",
    title: "What was run in a session, as a Jupyter notebook",
    description: "The code of all cells in their order, with the beginning of what they wrote",
    read: ({ history }) => history.toNotebook(),
  },
];

/** Offers the client's own sessions: `session://{id}`, and what was run there as `/history.py` and `/history.ipynb`. */
export function registerSessions(server: McpServer, sessions: SessionStore): void {
  for (const { name, path, mimeType, title, description, read } of KINDS) {
    const list = (): ListResourcesResult => ({
      resources: sessions.ids.map((id) => ({
        uri: `session://${id}${path}`,
        name: path === "" ? `session ${id}` : `${path.slice(1)} of session ${id}`,
        mimeType,
      })),
    });
    server.registerResource(
      name,
      new ResourceTemplate(`session://{id}${path}`, { list }),
      { title, description, mimeType },
      async (uri, { id }) => {
        const session = sessions.get(typeof id === "string" ? id : "");
        if (session === undefined) throw new ResourceNotFoundError(uri.href);
        const text = await read(session);
        return { contents: [{ uri: uri.href, mimeType, text }] };
      },
    );
  }
}
