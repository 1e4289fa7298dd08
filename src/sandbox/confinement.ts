import { randomBytes } from "node:crypto";
import { basename, join } from "node:path";
import { PyExecutorError } from "../errors.ts";
import type { Interpreter } from "../interpreter/discover.ts";
import { EgressProxy } from "./egress-proxy.ts";
import { realIfThere } from "./named-paths.ts";
import type { NetRule } from "./net-rules.ts";
import { isWithin } from "./path-sets.ts";
import type { Policy } from "./policy.ts";
import { pythonFolders } from "./python-folders.ts";
import { describeConfinement } from "./spec.ts";

/** What confines the processes of one server. */
export interface ConfinementOptions {
  policy: Policy;
  workspace: string;
  /** The server's private folder. */
  root: string;
  /** Where the Python side of this program is. */
  pythonFolder: string;
  /** A Python outside of the workspace, if there is one. */
  findDefault: () => Promise<Interpreter>;
}

/** How an interpreter is started so that it is confined. */
export interface Confinement {
  /** The beginning of the command that starts it. */
  command: readonly string[];
  /** What to confine it to, as JSON. */
  spec: string;
}

/**
 * Confines the interpreters of one server. On Linux an interpreter is started by another one, which confines itself first
 * (`launch.py`): the one that is wanted may be a program in the workspace, written by an earlier run.
 */
export class Containment {
  readonly #options: ConfinementOptions;
  readonly #isThere: boolean;
  #proxy: EgressProxy | undefined;

  /** Throws `containment_unavailable` if strict containment is wanted where there is none. */
  constructor(options: ConfinementOptions) {
    this.#options = options;
    const { sandbox } = options.policy;
    this.#isThere = sandbox !== "off" && process.platform === "linux";
    if (sandbox === "strict" && !this.#isThere) {
      throw new PyExecutorError(
        "containment_unavailable",
        `There is no containment on ${process.platform}, and --sandbox strict wants it. Use a container or Linux, or --sandbox auto.`,
        { argument: "sandbox" },
      );
    }
  }

  /** For runs in a folder; undefined where nothing confines them. */
  async for(interpreter: Interpreter, cwd: string): Promise<Confinement | undefined> {
    if (!this.#isThere) return undefined;
    const { policy, workspace, root, pythonFolder, findDefault } = this.#options;
    const launcher = await findLauncher(this.#options, interpreter);
    const proxy = typeof policy.net === "string" ? "" : await this.#proxyFor(launcher, policy.net);
    const { virtualEnv } = interpreter;
    const folders = await pythonFolders(interpreter, writableBy(this.#options), findDefault);
    const spec = describeConfinement(policy, {
      ...{ workspace: realIfThere(workspace), root: realIfThere(root), proxy, virtualEnv },
      ...{ pythonFolder: realIfThere(pythonFolder), pythonFolders: folders, cwd: realIfThere(cwd) },
    });
    const launch = join(pythonFolder, "py_executor_runtime", "launch.py");
    return { command: [launcher, "-E", "-s", "-S", "-B", launch], spec };
  }

  /** Ends what was started for it. */
  async close(): Promise<void> {
    await this.#proxy?.close();
  }

  /** Where the proxy listens; one that has ended is started anew, and runs get another path. */
  async #proxyFor(python: string, rules: readonly NetRule[]): Promise<string> {
    const { root, pythonFolder } = this.#options;
    if (this.#proxy?.isOpen !== true) {
      const socketPath = join(root, `proxy-${randomBytes(3).toString("hex")}`);
      this.#proxy = new EgressProxy({ python, pythonFolder, socketPath, rules });
    }
    await this.#proxy.ready;
    return this.#proxy.socketPath;
  }
}

/** What code can write. */
function writableBy({ policy, workspace }: ConfinementOptions): string[] {
  return [workspace, ...policy.writable].map(realIfThere);
}

/** A Python that no run can have written to: what the wanted one is a link to, or the default one. */
async function findLauncher(options: ConfinementOptions, { python }: Interpreter): Promise<string> {
  const writable = writableBy(options);
  const isOurs = (program: string): boolean =>
    !writable.some((folder) => isWithin(program, folder));
  const behind = realIfThere(python);
  if (isOurs(behind) && /^python[\d.]*$/.test(basename(behind))) return behind;
  const byDefault = await options.findDefault().then(
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
