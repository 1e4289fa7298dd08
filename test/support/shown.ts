/** What an answer shows, besides text. */
import type { StdioClient, ToolReply } from "./stdio-client.ts";

/** A display, in the words of the protocol. */
export interface ShownDisplay {
  readonly source: "display" | "result" | "figure";
  readonly mime_types: string[];
  readonly text?: string;
  readonly chart?: unknown;
  readonly image?: number;
  readonly artifact?: string;
  readonly artifacts?: Record<string, string>;
  readonly notes?: string[];
}

/** The pictures among an answer's blocks. */
export function imagesOf({ content }: ToolReply): { mimeType: string; bytes: Buffer }[] {
  return content
    .filter(({ type }) => type === "image")
    .map(({ data = "", mimeType = "" }) => ({ mimeType, bytes: Buffer.from(data, "base64") }));
}

/** What an address leads to. Throws if it leads to nothing. */
export async function readResource(client: StdioClient, uri: string): Promise<Buffer> {
  const { result, error } = await client.request("resources/read", { uri });
  if (result === undefined) throw new Error(`${uri}: ${error?.message}`);
  const [content] = result["contents"] as { text?: string; blob?: string }[];
  return content?.text === undefined
    ? Buffer.from(content?.blob ?? "", "base64")
    : Buffer.from(content.text);
}

/** Something that has an address. */
export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType?: string;
  readonly size?: number;
}

/** All that has an address. */
export async function listResources(client: StdioClient): Promise<ListedResource[]> {
  const { result } = await client.request("resources/list");
  return (result?.["resources"] ?? []) as ListedResource[];
}
