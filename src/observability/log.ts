import { destination, pino, type Logger } from "pino";

export type { Logger };

export const LOG_LEVELS = ["silent", "error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A logger that writes JSON lines to stderr; stdout belongs to the protocol. */
export function createLog(level: LogLevel): Logger {
  // synchronous, so that the last words of a process that ends are not lost
  return pino({ name: "py-executor", level, base: null }, destination({ dest: 2, sync: true }));
}
