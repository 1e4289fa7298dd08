import { StringDecoder } from "node:string_decoder";
import type { OutputStream } from "../execution.ts";
import type { RunEvents } from "../workers/worker.ts";
import { Capture, startOfFirstCharacter } from "./capture.ts";
import { Displays } from "./displays.ts";
import type { OutputStore } from "./output-store.ts";

/** What is told of displays' texts (characters); a share of it in a batch. */
const DISPLAY_CHARS = 40_000;

/** Keeps both streams of a run, and what it shows, and hands the streams on, decoded, to whoever listens. */
export function captureRun(
  store: OutputStore,
  shownBytes: number,
  onOutput: ((stream: OutputStream, text: string) => void) | undefined,
): {
  /** Not to be guessed. */
  runId: string;
  displays: Displays;
  streams: Record<OutputStream, Capture>;
  events: Omit<RunEvents, "signal">;
  /** Throws what the listener has thrown, if it has: it was not called again after that. */
  rethrow(): void;
} {
  let failure: { error: unknown } | undefined;
  const tell = (stream: OutputStream, text: string): void => {
    if (text === "" || failure !== undefined) return;
    try {
      onOutput?.(stream, text);
    } catch (error) {
      failure = { error };
    }
  };
  const runId = store.newRunId();
  const captureStream = (stream: OutputStream): Capture =>
    new Capture(stream, shownBytes, () => store.open(runId, stream));
  const streams = { stdout: captureStream("stdout"), stderr: captureStream("stderr") };
  const displays = new Displays(store, runId, Math.min(DISPLAY_CHARS, shownBytes));
  const decoders = { stdout: new StringDecoder(), stderr: new StringDecoder() };
  const afterGap = (stream: OutputStream, skipped: number, tail: Buffer): string => {
    if (tail.length === skipped) return decoders[stream].write(tail);
    const rest = tail.subarray(startOfFirstCharacter(tail));
    const mark = `\n[… ${skipped - rest.length} bytes of ${stream} not shown …]\n`;
    return decoders[stream].end() + mark + decoders[stream].write(rest);
  };
  return {
    runId,
    displays,
    streams,
    events: {
      onShown: (shown) => displays.take(shown),
      onOutput(stream, bytes) {
        streams[stream].add(bytes);
        if (onOutput !== undefined) tell(stream, decoders[stream].write(bytes));
      },
      onSkipped(stream, skipped, tail) {
        streams[stream].skip(skipped, tail);
        if (onOutput !== undefined) tell(stream, afterGap(stream, skipped, tail));
      },
    },
    rethrow: () => {
      if (failure !== undefined) throw failure.error;
    },
  };
}
