import { StringDecoder } from "node:string_decoder";
import type { OutputStream, RunOptions } from "../execution.ts";
import type { RunEvents } from "../workers/worker.ts";
import { Capture, startOfFirstCharacter } from "./capture.ts";
import type { OutputStore } from "./output-store.ts";

/** Keeps both streams of a run and hands them on, decoded, to whoever listens. */
export function captureRun(
  store: OutputStore,
  shownBytes: number,
  onOutput: RunOptions["onOutput"],
): { streams: Record<OutputStream, Capture>; events: Omit<RunEvents, "signal"> } {
  const runId = store.newRunId();
  const captureStream = (stream: OutputStream): Capture =>
    new Capture(stream, shownBytes, () => store.open(runId, stream));
  const streams = { stdout: captureStream("stdout"), stderr: captureStream("stderr") };
  const decoders = { stdout: new StringDecoder(), stderr: new StringDecoder() };
  const afterGap = (stream: OutputStream, skipped: number, tail: Buffer): string => {
    if (tail.length === skipped) return decoders[stream].write(tail);
    const rest = tail.subarray(startOfFirstCharacter(tail));
    const mark = `\n[… ${skipped - rest.length} bytes of ${stream} not shown …]\n`;
    return decoders[stream].end() + mark + decoders[stream].write(rest);
  };
  return {
    streams,
    events: {
      onOutput(stream, bytes) {
        streams[stream].add(bytes);
        if (onOutput === undefined) return;
        const text = decoders[stream].write(bytes);
        if (text !== "") onOutput(stream, text);
      },
      onSkipped(stream, skipped, tail) {
        streams[stream].skip(skipped, tail);
        onOutput?.(stream, afterGap(stream, skipped, tail));
      },
    },
  };
}
