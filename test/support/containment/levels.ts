/** The strengths of containment that can be had here, each with how a server gets it, as each kind of user. */
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { fileURLToPath } from "node:url";

/** Everything, only what needs no namespaces (Landlock and seccomp), or nothing: the control of the tests themselves. */
type Strength = "full" | "without namespaces" | "off";

/** A strength, and who runs the server. */
export interface Level {
  readonly name: string;
  readonly strength: Strength;
  /** Whether the server runs as root. */
  readonly isRoot: boolean;
  /** Who owns the folders of the server. */
  readonly uid: number;
  /** What the server's command is put behind. */
  readonly prefix: readonly string[];
  /** Variables of the server that differ from the test's. */
  readonly env: Readonly<Record<string, string>>;
  /** What isn't here and would be needed, beginning with `missing:`. */
  readonly missing: string | undefined;
}

const NO_NAMESPACES = fileURLToPath(new URL("no-namespaces.py", import.meta.url));
const CLI = fileURLToPath(new URL("../../../dist/cli.js", import.meta.url));
/** An ordinary user's number; nobody of that name has to exist. */
const SOMEBODY = 1000;
const own = process.getuid?.() ?? -1;
const AS_SOMEBODY = ["setpriv", `--reuid=${SOMEBODY}`, `--regid=${SOMEBODY}`, "--clear-groups"];
/** Where root's own Python is out of reach. */
const PATH_OF_ALL = "/usr/bin:/bin:/usr/local/bin";
const PYTHON_OF_ALL = "/usr/bin/python3";

/** All levels; the last ones are the control. Those with something missing are to be skipped, for that reason. */
export const LEVELS: readonly Level[] = (["full", "without namespaces", "off"] as const).flatMap(
  (strength) => {
    const users = own === 0 ? [0, SOMEBODY] : [own];
    return users.map((uid) => levelOf(strength, uid));
  },
);

function levelOf(strength: Strength, uid: number): Level {
  const [isRoot, isOther] = [uid === 0, uid !== own];
  return {
    name: `${strength}, as ${isRoot ? "root" : "an ordinary user"}`,
    ...{ strength, isRoot, uid },
    prefix: [
      ...(strength === "without namespaces" ? [PYTHON_OF_ALL, NO_NAMESPACES] : []),
      ...(isOther ? AS_SOMEBODY : []),
    ],
    env: isOther ? { PATH: PATH_OF_ALL, USER: "somebody", LOGNAME: "somebody" } : {},
    missing: findMissing(strength, isOther),
  };
}

function findMissing(strength: Strength, isOther: boolean): string | undefined {
  if (process.platform !== "linux") return "missing: Linux";
  const user = isOther ? AS_SOMEBODY : [];
  if (isOther && !succeeds([...user, process.execPath, CLI, "--version"], { PATH: PATH_OF_ALL })) {
    return "missing: Node, the checkout and its build where every user can read them";
  }
  if (strength === "full" && !succeeds([...user, "unshare", "--user", "true"])) {
    return "missing: user namespaces";
  }
  if (strength === "without namespaces" && !isExecutable(PYTHON_OF_ALL))
    return `missing: ${PYTHON_OF_ALL}`;
  return undefined;
}

function succeeds([program = "", ...args]: string[], env = {}): boolean {
  return spawnSync(program, args, { env: { ...process.env, ...env } }).status === 0;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
