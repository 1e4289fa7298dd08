import { existsSync } from "node:fs";
import { librariesPython } from "../../scripts/python.mjs";

/** Options for an executor whose runs have these libraries; without them, `missing` is why a test is skipped. */
export const libraries: { options: { python?: string }; missing: string | undefined } = existsSync(
  librariesPython,
)
  ? { options: { python: librariesPython }, missing: undefined }
  : { options: {}, missing: "missing: the libraries in .cache/venv-libraries" };
