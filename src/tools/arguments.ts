import { z } from "zod";
import type { Settings } from "../config.ts";
import { packagePolicyOf } from "../interpreter/package-wish.ts";

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

/** How many names of the operator's list a description repeats. */
const MAX_LISTED = 30;

/** The argument `packages` of every tool that runs code, with what the operator allows. */
export function packagesArgument(
  settings: Settings,
): z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodString>>> {
  const { mode, listed } = packagePolicyOf(settings);
  const more = listed.length > MAX_LISTED ? ", …" : "";
  const allowed = {
    any: "",
    listed: ` Allowed here: ${listed.slice(0, MAX_LISTED).join(", ") || "none"}${more}.`,
    none: " The operator allows none here.",
  }[mode];
  return z
    .array(z.string())
    .nullish()
    .describe(
      'Packages that the code needs, such as ["polars>=1"]: installed first where they aren\'t yet. It has these and the ' +
        `standard library then, nothing else. A \`# /// script\` block in the code does the same.${allowed}`,
    );
}

/** The argument `session` of the tools that run snippets in copies of one; `what` runs in a copy. */
export function copiedSessionArgument(what: string): z.ZodOptional<z.ZodNullable<z.ZodString>> {
  return z
    .string()
    .nullish()
    .describe(
      `A session of run_python: each ${what} runs in its own copy of it, with all its variables; the session stays as it is`,
    );
}

/** The argument `background` of every tool that runs code. */
export const backgroundArgument = z
  .boolean()
  .nullish()
  .describe(
    "True: don't wait, answer with a run_id at once. For what takes longer than 50 s. Then get_run, cancel_run",
  );
