import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The interpreter with matplotlib, pandas and more, if it is there: `scripts/prepare.mjs --science` makes it. */
const LIBRARIES = fileURLToPath(new URL("../../.cache/venv-libraries/bin/python", import.meta.url));

/** Options for an executor whose runs have these libraries; without them, `missing` is why a test is skipped. */
export const libraries: { options: { python?: string }; missing: string | undefined } = existsSync(
  LIBRARIES,
)
  ? { options: { python: LIBRARIES }, missing: undefined }
  : { options: {}, missing: "missing: the libraries in .cache/venv-libraries" };
