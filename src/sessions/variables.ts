import { z } from "zod";
import type { SessionVariable } from "../execution.ts";

const MAX_VARIABLES = 200;
/** Of a name, a type, a shape or a repr; what tells more tells lies. */
const MAX_CHARS = 200;

const shortText = z.string().transform((text) => text.slice(0, MAX_CHARS).toWellFormed());
const variablesSchema = z
  .array(
    z.object({
      name: shortText,
      type: shortText,
      size: z.number().nullable(),
      shape: shortText.nullable(),
      value: shortText.nullable(),
    }),
  )
  .transform((variables) => variables.slice(0, MAX_VARIABLES));

/** What a session's process says is in it. The text comes from the code's process: what is no list of variables counts for nothing. */
export function readVariables(json: string): readonly SessionVariable[] {
  try {
    return variablesSchema.parse(JSON.parse(json));
  } catch {
    return [];
  }
}
