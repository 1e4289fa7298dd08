import { statSync } from "node:fs";
import { join } from "node:path";
import type { Engine } from "../engine.ts";
import { PyExecutorError } from "../errors.ts";
import { projectFilesIn } from "../interpreter/project-files.ts";
import { formatBytes } from "../sandbox/amounts.ts";

/** One thing that `doctor` says, and what could be done about it. */
export interface Line {
  what: string;
  fix?: string;
}

/** What a workspace has of a project with dependencies; undefined if nothing. */
export function projectLine(workspace: string): Line | undefined {
  const files = projectFilesIn(workspace);
  const hasVenv = statSync(join(workspace, ".venv"), { throwIfNoEntry: false })?.isDirectory();
  if (hasVenv !== true && files.length === 0) return undefined;
  const what = `project files: ${[...(hasVenv ? [".venv"] : []), ...files].join(", ")}`;
  if (files.length === 0) return { what };
  return {
    what,
    fix: hasVenv
      ? "the .venv is used as it is; nothing is installed from them unasked"
      : "nothing is installed from them unasked: make a .venv of them (such as by `uv sync`), or ask for `packages`",
  };
}

/** How packages are had here. */
export async function packageLines(engine: Engine): Promise<Line[]> {
  try {
    const { policy, installer, kept, isFolderWritable } = await engine.packages();
    if (policy.mode === "none")
      return [{ what: "packages: none may be asked for (--packages none)" }];
    const allowed = policy.mode === "any" ? "any" : policy.listed.join(", ") || "none";
    const how = installer.name === "uv" ? "uv" : "venv and pip of";
    const count = `${kept.environments} environment${kept.environments === 1 ? "" : "s"}`;
    const space = `${mebibytes(kept.bytes)} of at most ${formatBytes(kept.maxBytes)}`;
    return [
      {
        what: `packages that may be asked for: ${allowed}; installed by ${how} ${installer.program}`,
        ...(installer.name === "pip" ? { fix: installer.why } : {}),
      },
      {
        what: `packages are kept in ${kept.folder}: ${count}, ${space}`,
        ...(isFolderWritable
          ? {
              fix: "code may write there, so nothing is installed: take a workspace that doesn't hold it, or another XDG_CACHE_HOME",
            }
          : {}),
      },
    ];
  } catch (error) {
    if (!(error instanceof PyExecutorError)) throw error;
    return [{ what: "packages: none can be installed", fix: error.message }];
  }
}

function mebibytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024 ** 2)} MiB`;
}
