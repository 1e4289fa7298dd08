import {
  ResourceNotFoundError,
  ResourceTemplate,
  type ListResourcesResult,
  type McpServer,
  type ReadResourceResult,
} from "@modelcontextprotocol/server";
import { endOfLastCharacter, startOfFirstCharacter } from "../output/capture.ts";
import type { OutputStore } from "../output/output-store.ts";

/** JSON escapes may make a byte six characters long; clients give up at a message of 10 MiB. */
const MAX_PART_CHARS = 8_000_000;
/** A UTF-8 character has at most this many bytes after its first (RFC 3629, section 3). */
const MAX_CONTINUATION_BYTES = 3;
const MIME_TYPE = "text/plain";
const ADDRESS = "run://{id}/{stream}";

/**
 * Offers the output that was too long to be shown: `run://{id}/stdout`, and parts of it by `?offset=…&length=…`.
 *
 * Two templates, since the SDK takes an address for a match of the second only if it has both parameters.
 */
export function registerOutputs(server: McpServer, outputs: OutputStore): void {
  const list = (): ListResourcesResult => ({
    resources: outputs.list().map(({ uri, runId, stream, size }) => ({
      uri,
      name: `${stream} of run ${runId}`,
      mimeType: MIME_TYPE,
      size,
    })),
  });
  const read = (uri: URL): ReadResourceResult => readOutput(outputs, uri);
  const whole = {
    title: "Output of a run",
    description:
      "The text of an output that was too long for the answer, kept until newer ones need the room",
    mimeType: MIME_TYPE,
  };
  const part = {
    title: "Part of the output of a run",
    description: "As much of such a text as is asked for, from an offset on, both in bytes",
    mimeType: MIME_TYPE,
  };
  server.registerResource("run-output", new ResourceTemplate(ADDRESS, { list }), whole, read);
  const addressOfPart = new ResourceTemplate(`${ADDRESS}{?offset,length}`, { list: undefined });
  server.registerResource("run-output-part", addressOfPart, part, read);
}

function readOutput(outputs: OutputStore, uri: URL): ReadResourceResult {
  const offset = position(uri, "offset", 0);
  const length = position(uri, "length", MAX_PART_CHARS);
  const address = `run://${uri.host}${uri.pathname}`;
  const found = outputs.read(address, offset, length + MAX_CONTINUATION_BYTES);
  if (found === undefined) throw new ResourceNotFoundError(uri.href);
  const text = fitting(charactersFrom(found.bytes, offset === 0, length));
  return { contents: [{ uri: uri.href, mimeType: MIME_TYPE, text }] };
}

/** The characters that begin in the first `length` bytes, so that parts put together are the whole. */
function charactersFrom(bytes: Buffer, isStart: boolean, length: number): Buffer {
  const start = isStart ? 0 : startOfFirstCharacter(bytes);
  const end = length + startOfFirstCharacter(bytes.subarray(length));
  return bytes.subarray(start, Math.max(start, end));
}

/** As much of the text as clients take in JSON. */
function fitting(bytes: Buffer): string {
  let kept = bytes;
  let text = kept.toString();
  while (JSON.stringify(text).length > MAX_PART_CHARS) {
    kept = kept.subarray(0, Math.floor(kept.length / 2));
    kept = kept.subarray(0, endOfLastCharacter(kept));
    text = kept.toString();
  }
  return text;
}

function position(uri: URL, name: string, unset: number): number {
  const value = Number(uri.searchParams.get(name) ?? unset);
  return Number.isInteger(value) && value >= 0 ? value : unset;
}
