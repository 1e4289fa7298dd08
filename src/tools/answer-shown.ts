import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Artifact, Display, Picture, RunResult } from "../execution.ts";

/** Pictures of one answer: hosts hand each to the model, which pays for it. */
const MAX_PICTURES = 6;
/** Of all of them together, in bytes: clients of the official SDKs lose the connection at a message of 10 MiB. */
const MAX_BYTES = 3 * 1024 * 1024;

/** The pictures of an answer, as many as it can carry. */
export class PictureBlocks {
  readonly blocks: CallToolResult["content"] = [];
  readonly #numbers = new Map<Picture, number>();

  constructor(results: readonly RunResult[]) {
    const shown = results.flatMap(({ displays = [] }) => displays);
    let room = MAX_BYTES;
    for (const { picture } of shown) {
      if (picture === undefined || picture.bytes.length > room) continue;
      if (this.blocks.length >= MAX_PICTURES) break;
      room -= picture.bytes.length;
      const data = picture.bytes.toString("base64");
      this.blocks.push({ type: "image", data, mimeType: picture.mimeType });
      this.#numbers.set(picture, this.blocks.length);
    }
  }

  /** The number of a picture's block among the images of the answer, from 1; undefined if it is not among them. */
  numberOf(picture: Picture | undefined): number | undefined {
    return picture && this.#numbers.get(picture);
  }
}

/** A display in the words of the protocol. */
export function displayToWire(display: Display, pictures?: PictureBlocks): Record<string, unknown> {
  const { source, mimeTypes, text, chart, picture, artifact, artifacts, notes } = display;
  const image = pictures?.numberOf(picture);
  return {
    source,
    mime_types: mimeTypes,
    ...(text === undefined ? {} : { text }),
    ...(chart === undefined ? {} : { chart }),
    ...(image === undefined ? {} : { image }),
    ...(artifact === undefined ? {} : { artifact }),
    ...(Object.keys(artifacts).length > 1 ? { artifacts } : {}),
    ...(notes === undefined ? {} : { notes }),
  };
}

/** A file in the words of the protocol. */
export function artifactToWire(artifact: Artifact): Record<string, unknown> {
  const { path, size, mimeType, change, uri } = artifact;
  return { path, size, mime_type: mimeType, change, uri };
}
