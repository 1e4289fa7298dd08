import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
  type ListResourcesResult,
  type McpServer,
  type ReadResourceResult,
} from "@modelcontextprotocol/server";
import type { ReadPart } from "../execution.ts";
import { isTextual } from "../output/mime.ts";
import { readKept, type KeptThings } from "../output/read-kept.ts";
import { isText, MAX_CONTINUATION_BYTES, rangeOf, textOfPart, type Range } from "./text-part.ts";

/** As base64 it is a third longer, and clients give up at a message of 10 MiB. */
const MAX_BLOB_BYTES = 6_000_000;
const ADDRESS = "artifact://{id}/{+path}";
const MAX_COMPLETIONS = 100;
/** Of each kind, the newest: the list is one message. */
const MAX_LISTED = 1000;

/**
 * Offers what runs have shown, and the files that they have made or changed: `artifact://{id}/{path}`, and parts of it by
 * `?offset=…&length=…`, in bytes.
 */
export function registerArtifacts(server: McpServer, kept: KeptThings): void {
  const list = (): ListResourcesResult => ({ resources: listAll(kept) });
  const read = (uri: URL): ReadResourceResult => readArtifact(kept, uri);
  const complete = {
    id: (value: string) => completions(kept, ({ id }) => id, value),
    path: (value: string) => completions(kept, ({ path }) => path, value),
  };
  const whole = {
    title: "Picture, table or file of a run",
    description:
      "What a run has shown, kept until newer ones need the room, or a file that it has made or changed, as it is now",
  };
  const part = {
    title: "Part of a file of a run",
    description: "As much of it as is asked for, from an offset on, both in bytes",
  };
  server.registerResource(
    "artifact",
    new ResourceTemplate(ADDRESS, { list, complete }),
    whole,
    read,
  );
  const addressOfPart = new ResourceTemplate(`${ADDRESS}{?offset,length}`, { list: undefined });
  server.registerResource("artifact-part", addressOfPart, part, read);
}

function listAll({ outputs, artifacts }: KeptThings): ListResourcesResult["resources"] {
  const shown = outputs.list().filter(({ uri }) => uri.startsWith("artifact://"));
  const files = artifacts.list().slice(-MAX_LISTED);
  return [
    ...shown.map(({ uri, name, mimeType, size }) => ({ uri, name, mimeType, size })),
    ...files.map(({ uri, path, mimeType, size }) => ({ uri, name: path, mimeType, size })),
  ];
}

function completions(
  kept: KeptThings,
  pick: (parts: { id: string; path: string }) => string,
  value: string,
): string[] {
  const all = listAll(kept).map(({ uri }) => {
    const { host, pathname } = new URL(uri);
    return pick({ id: host, path: pathname.slice(1) });
  });
  return [...new Set(all)].filter((one) => one.startsWith(value)).slice(0, MAX_COMPLETIONS);
}

function readArtifact(kept: KeptThings, uri: URL): ReadResourceResult {
  const range = rangeOf(uri);
  const address = `artifact://${uri.host}${uri.pathname}`;
  const found = readKept(kept, address, range.offset, range.length + MAX_CONTINUATION_BYTES);
  if (found === undefined) throw new ResourceNotFoundError(uri.href);
  const { mimeType } = found;
  if (isTextual(mimeType) && isText(found.bytes, range)) {
    return { contents: [{ uri: uri.href, mimeType, text: textOfPart(found.bytes, range) }] };
  }
  return { contents: [{ uri: uri.href, mimeType, blob: blobOf(found, range) }] };
}

function blobOf({ bytes, size }: ReadPart, { offset, length }: Range): string {
  const wanted = Math.min(length, Math.max(0, size - offset));
  if (wanted > MAX_BLOB_BYTES) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `It has ${size} bytes, and a message carries at most ${MAX_BLOB_BYTES} of them. Read it in parts: ` +
        `?offset=0&length=${MAX_BLOB_BYTES} and so on.`,
    );
  }
  return bytes.subarray(0, wanted).toString("base64");
}
