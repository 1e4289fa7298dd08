import { z } from "zod";
import type { Settings } from "../config.ts";
import type { RunInput } from "../execution.ts";
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

/** The argument `stdin` of every tool that runs code. */
export const stdinArgument = z
  .string()
  .nullish()
  .describe(
    "Text that the code reads from standard input, by input() and the like. Without it there is none",
  );

const inputFile = z
  .strictObject({
    path: z.string(),
    text: z.string().optional(),
    base64: z
      .string()
      .regex(/^[A-Za-z0-9+/\s]*={0,2}\s*$/, "is no base64")
      .optional(),
  })
  .refine(
    ({ text, base64 }) => (text === undefined) !== (base64 === undefined),
    "takes either text or base64",
  );

/** The argument `files` of every tool that runs code. */
export function filesArgument({
  maxInputBytes,
}: Settings): z.ZodOptional<z.ZodNullable<z.ZodArray<typeof inputFile>>> {
  return z
    .array(inputFile)
    .nullish()
    .describe(
      'Files to write into `cwd` before the code begins, such as [{"path": "in/a.csv", "text": "x,y\\n1,2\\n"}]; base64 ' +
        `instead of text for other bytes. Relative paths below \`cwd\`; ${maxInputBytes} bytes with stdin in all`,
    );
}

/** What of a call's arguments code gets besides itself. */
export function inputOf({
  stdin,
  files,
}: {
  stdin?: string | null | undefined;
  files?: readonly z.output<typeof inputFile>[] | null | undefined;
}): RunInput {
  return {
    stdin: stdin ?? undefined,
    files: files?.map(({ path, text, base64 }) => ({
      path,
      content: text ?? Buffer.from(base64 ?? "", "base64"),
    })),
  };
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
