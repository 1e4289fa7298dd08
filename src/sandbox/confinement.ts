import { basename, join } from "node:path";
import { PyExecutorError } from "../errors.ts";
import type { Interpreter } from "../interpreter/discover.ts";
import { realIfThere } from "./named-paths.ts";
import { isWithin } from "./path-sets.ts";
import type { Policy } from "./policy.ts";
import { describeConfinement } from "./spec.ts";

/** What confines the processes of one server. */
export interface ConfinementOptions {
  policy: Policy;
  /** Real path. */
  workspace: string;
  /** The server's private folder; real path. */
  root: string;
  /** Where the Python side of this program is. */
  pythonFolder: string;
  /** A Python outside of the workspace, if there is one. */
  findDefault: () => Promise<Interpreter>;
}

/** How an interpreter is confined for runs in a folder; undefined where nothing confines it. */
export type Confine = (interpreter: Interpreter, cwd: string) => Promise<Confinement | undefined>;

interface Confinement {
  /** The beginning of the command that starts the interpreter. */
  command: readonly string[];
  /** What to confine it to, as JSON. */
  spec: string;
}

/**
 * Settles how runs are confined on this platform. Throws `invalid_option` if strict containment is wanted where there is none.
 *
 * On Linux an interpreter is started by another one, which confines itself first (`launch.py`): the one that is wanted
 * may be a program in the workspace, written by an earlier run.
 */
export function createConfine(options: ConfinementOptions): Confine {
  const { policy, root, pythonFolder } = options;
  if (policy.sandbox === "off") return async () => undefined;
  if (process.platform !== "linux") {
    if (policy.sandbox === "auto") return async () => undefined;
    throw new PyExecutorError(
      "invalid_option",
      `There is no containment on ${process.platform}, and --sandbox strict wants it. Use a container or Linux, or --sandbox auto.`,
      { argument: "sandbox" },
    );
  }
  const workspace = realIfThere(options.workspace);
  const launch = join(pythonFolder, "py_executor_runtime", "launch.py");
  return async (interpreter, cwd) => {
    const launcher = await findLauncher(options, interpreter);
    const { python, virtualEnv } = interpreter;
    const spec = describeConfinement(policy, {
      ...{ workspace, root: realIfThere(root), pythonFolder: realIfThere(pythonFolder) },
      ...{ cwd: realIfThere(cwd), python, virtualEnv },
    });
    return { command: [launcher, "-I", "-S", "-B", launch], spec };
  };
}

/** A Python that no run can have written to: what the wanted one is a link to, or the default one. */
async function findLauncher(
  { policy, workspace, findDefault }: ConfinementOptions,
  { python }: Interpreter,
): Promise<string> {
  const writable = [workspace, ...policy.writable].map(realIfThere);
  const isOurs = (program: string): boolean =>
    !writable.some((folder) => isWithin(program, folder));
  const behind = realIfThere(python);
  if (isOurs(behind) && /^python[\d.]*$/.test(basename(behind))) return behind;
  const byDefault = await findDefault().then(
    (found) => realIfThere(found.python),
    () => undefined,
  );
  if (byDefault !== undefined && isOurs(byDefault)) return byDefault;
  throw new PyExecutorError(
    "interpreter_unusable",
    "Containment is set up by a Python outside of the workspace, which code can't have changed, and there is none. " +
      "Install python3, name one by --python, or start the server with --sandbox off.",
    { argument: "python" },
  );
}
