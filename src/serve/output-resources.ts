import {
  ResourceNotFoundError,
  ResourceTemplate,
  type ListResourcesResult,
  type McpServer,
  type ReadResourceResult,
} from "@modelcontextprotocol/server";
import type { OutputStore } from "../output/output-store.ts";
import { MAX_CONTINUATION_BYTES, rangeOf, textOfPart } from "./text-part.ts";

const MIME_TYPE = "text/plain";
const ADDRESS = "run://{id}/{stream}";

/**
 * Offers the output that was too long to be shown: `run://{id}/stdout`, and parts of it by `?offset=…&length=…`.
 *
 * Two templates, since the SDK takes an address for a match of the second only if it has both parameters.
 */
export function registerOutputs(server: McpServer, outputs: OutputStore): void {
  const list = (): ListResourcesResult => ({
    resources: outputs
      .list()
      .filter(({ uri }) => uri.startsWith("run://"))
      .map(({ uri, runId, name, size }) => ({
        uri,
        name: `${name} of run ${runId}`,
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
  const range = rangeOf(uri);
  const address = `run://${uri.host}${uri.pathname}`;
  const found = outputs.read(address, range.offset, range.length + MAX_CONTINUATION_BYTES);
  if (found === undefined) throw new ResourceNotFoundError(uri.href);
  const text = textOfPart(found.bytes, range);
  return { contents: [{ uri: uri.href, mimeType: MIME_TYPE, text }] };
}
