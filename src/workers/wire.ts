/**
 * Frames on the connection to a supervisor; `python/py_executor_runtime/wire.py` is the other end and has the format.
 */
export const FrameKind = {
  run: "R",
  slot: "L",
  template: "T",
  ready: "A",
  stdout: "O",
  stderr: "E",
  stdoutTail: "o",
  stderrTail: "e",
  display: "V",
  ended: "X",
  session: "S",
  task: "Q",
  interrupt: "I",
  cancel: "C",
  close: "K",
  multiplexed: "M",
  died: "D",
} as const;

export interface Frame {
  kind: string;
  payload: Buffer;
}

const HEADER_BYTES = 5;
const LENGTH_BYTES = 4;
/** More than any frame that a supervisor sends: pieces of output of 256 KiB, tails, and a bounded result. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024;
/** More than any frame has; what code may have forged is not taken apart beyond it. */
const MAX_FIELDS = 1000;

/** The peer sent what is no frame. */
export class BrokenFrameError extends Error {
  override readonly name = "BrokenFrameError";
}

/** A frame whose payload alternates names and values. */
export function encodeFields(
  kind: string,
  fields: Record<string, string | number | Buffer>,
): Buffer {
  const payload = packFields(fields);
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.write(kind, 0, "latin1");
  header.writeUInt32BE(payload.length, 1);
  return Buffer.concat([header, payload]);
}

/** Names and values as the payload of a frame. Numbers travel as decimal text. */
export function packFields(fields: Record<string, string | number | Buffer>): Buffer {
  const parts: Buffer[] = [];
  let length = 0;
  for (const pair of Object.entries(fields)) {
    for (const value of pair) {
      const bytes = Buffer.isBuffer(value) ? value : Buffer.from(String(value));
      const size = Buffer.allocUnsafe(LENGTH_BYTES);
      size.writeUInt32BE(bytes.length);
      parts.push(size, bytes);
      length += LENGTH_BYTES + bytes.length;
    }
  }
  return Buffer.concat(parts, length);
}

/** The fields of a payload; throws {@link BrokenFrameError} if it holds none. */
export function decodeFields(payload: Buffer): Map<string, Buffer> {
  const parts: Buffer[] = [];
  for (let at = 0; at < payload.length;) {
    const start = at + LENGTH_BYTES;
    if (start > payload.length) throw new BrokenFrameError("a field reaches beyond its frame");
    at = start + payload.readUInt32BE(at);
    if (at > payload.length) throw new BrokenFrameError("a field reaches beyond its frame");
    parts.push(payload.subarray(start, at));
    if (parts.length > 2 * MAX_FIELDS) throw new BrokenFrameError("too many fields");
  }
  const fields = new Map<string, Buffer>();
  for (let i = 0; i < parts.length; i += 2) {
    const [name, value] = [parts[i], parts[i + 1]];
    if (name === undefined || value === undefined) {
      throw new BrokenFrameError("a field has a name but no value");
    }
    fields.set(name.toString(), value);
  }
  return fields;
}

/** Cuts a stream of bytes into frames. */
export class FrameParser {
  readonly #pieces: Buffer[] = [];
  #size = 0;

  /** The frames that are complete with this piece; throws {@link BrokenFrameError} on a frame that can't be right. */
  push(piece: Buffer): Frame[] {
    this.#pieces.push(piece);
    this.#size += piece.length;
    const frames: Frame[] = [];
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) frames.push(frame);
    return frames;
  }

  #next(): Frame | undefined {
    if (this.#size < HEADER_BYTES) return undefined;
    const header = this.#peek(HEADER_BYTES);
    const length = header.readUInt32BE(1);
    if (length > MAX_FRAME_BYTES) throw new BrokenFrameError(`a frame of ${length} bytes`);
    if (this.#size < HEADER_BYTES + length) return undefined;
    const whole = this.#peek(HEADER_BYTES + length);
    this.#drop(whole.length);
    return { kind: whole.toString("latin1", 0, 1), payload: whole.subarray(HEADER_BYTES) };
  }

  /** The first bytes, as one buffer: joined only when they lie in several pieces. */
  #peek(length: number): Buffer {
    const [first] = this.#pieces;
    if (first !== undefined && first.length >= length) return first.subarray(0, length);
    const joined = Buffer.concat(this.#pieces);
    this.#pieces.splice(0, this.#pieces.length, joined);
    return joined.subarray(0, length);
  }

  #drop(length: number): void {
    this.#size -= length;
    const [first] = this.#pieces;
    if (first === undefined) return;
    if (first.length === length) this.#pieces.shift();
    else this.#pieces[0] = first.subarray(length);
  }
}
