import { z } from "zod";
import type { Settings } from "../config.ts";

/** The argument `timeout`; `what` happens after that many seconds. */
export function timeoutArgument(
  { defaultTimeout, maxTimeout, maxBackground }: Settings,
  what: string,
): z.ZodOptional<z.ZodNullable<z.ZodNumber>> {
  return z
    .number()
    .nullish()
    .describe(
      `Seconds until ${what}; fractions allowed. Default ${defaultTimeout}, brought into 1 to ${maxTimeout}; in the background both are ${maxBackground}`,
    );
}

/** The argument `background` of every tool that runs code. */
export const backgroundArgument = z
  .boolean()
  .nullish()
  .describe(
    "True: don't wait, answer with a run_id at once. For what takes longer than 50 s. Then get_run, cancel_run",
  );
