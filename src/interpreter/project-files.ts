import { statSync } from "node:fs";
import { join } from "node:path";

/** Files by which a folder says that it is a project with dependencies, from the most exact to the least. */
const PROJECT_FILES = [
  "uv.lock",
  "poetry.lock",
  "pdm.lock",
  "pixi.lock",
  "Pipfile.lock",
  "pylock.toml",
  "pyproject.toml",
  "environment.yml",
  "requirements.txt",
];

/** The files in a folder that name its dependencies. They are only told of: nothing is installed unasked. */
export function projectFilesIn(cwd: string): string[] {
  return PROJECT_FILES.filter(
    (name) => statSync(join(cwd, name), { throwIfNoEntry: false })?.isFile() === true,
  );
}
