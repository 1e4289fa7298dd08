/** The other end of a Unix connection, played by the test. */
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { FrameParser, type Frame } from "../../src/workers/wire.ts";
import { eventually } from "./eventually.ts";

interface PeerOptions {
  /** Whether peers take what is sent to them; they do if nothing is said. */
  isReading?: boolean;
  /** What a peer does about a frame. */
  onFrame?: (peer: Peer, frame: Frame) => void;
}

/** A listening Unix socket; every connection to it becomes a peer. */
export class PeerServer {
  readonly path: string;
  /** In the order in which they connected. */
  readonly peers: Peer[] = [];
  readonly #server: Server;

  private constructor(path: string, options: PeerOptions) {
    this.path = path;
    this.#server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
      this.peers.push(new Peer(socket, options));
    });
  }

  /** @param folder where the socket is to be */
  static async listen(folder: string, options: PeerOptions = {}): Promise<PeerServer> {
    const made = new PeerServer(join(folder, `peer-${crypto.randomUUID().slice(0, 8)}`), options);
    await new Promise<void>((resolve) => made.#server.listen(made.path, resolve));
    return made;
  }

  /** Waits for the connection with that number, the first being 0. */
  async peer(index = 0): Promise<Peer> {
    await eventually(() => this.peers.length > index);
    const peer = this.peers[index];
    if (peer === undefined) throw new Error(`there is no connection number ${index}`);
    return peer;
  }

  close(): void {
    this.#server.close();
    for (const { socket } of this.peers) socket.destroy();
  }
}

/** One connection, seen from the far end. */
export class Peer {
  readonly socket: Socket;
  /** What has been received so far. */
  readonly frames: Frame[] = [];
  hasEnded = false;

  constructor(socket: Socket, { isReading = true, onFrame = () => {} }: PeerOptions) {
    this.socket = socket;
    const parser = new FrameParser();
    socket.on("error", () => {});
    socket.on("end", () => (this.hasEnded = true));
    socket.on("close", () => (this.hasEnded = true));
    if (!isReading) return;
    socket.on("data", (piece: Buffer) => {
      for (const frame of parser.push(piece)) {
        this.frames.push(frame);
        onFrame(this, frame);
      }
    });
    socket.resume();
  }

  /** Waits for so many frames; returns the last of them. */
  async received(count = 1): Promise<Frame> {
    await eventually(() => this.frames.length >= count || this.hasEnded);
    const frame = this.frames[count - 1];
    if (frame === undefined) throw new Error(`${this.frames.length} frames came, not ${count}`);
    return frame;
  }

  async ended(): Promise<boolean> {
    return eventually(() => this.hasEnded);
  }
}

/** A connection and the peer at its other end. */
export async function connectedPair(server: PeerServer): Promise<{ socket: Socket; peer: Peer }> {
  const index = server.peers.length;
  const socket = connect(server.path);
  return { socket, peer: await server.peer(index) };
}
