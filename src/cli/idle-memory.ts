import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Engine } from "../engine.ts";

const CHECK_MS = 300;
/** The first collection finds what is free, the next ones give it back to the system. */
const COLLECTIONS = 3;

/**
 * Keeps a server small that mostly waits: V8 keeps the memory of the last burst of work for as long as it likes, and a
 * server that does nothing gives it no reason to look.
 */
export function staySmallWhenIdle(engine: Engine): void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") return;
  let [seen, due] = [0, 0];
  setInterval(() => {
    const { running, finished } = engine.activity();
    if (finished !== seen) due = COLLECTIONS;
    else if (running === 0 && due > 0) {
      due -= 1;
      Reflect.apply(collect, undefined, []);
    }
    seen = finished;
  }, CHECK_MS).unref();
}
