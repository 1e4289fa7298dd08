import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import { PyExecutorError } from "../errors.ts";
import { existingCredentials, futureCredentials } from "./credentials.ts";
import { realIfThere } from "./named-paths.ts";
import { isWithin, outermost } from "./path-sets.ts";
import type { Policy } from "./policy.ts";
import { isFolder, isOrdinaryTemporary, temporaryFolders } from "./temporary.ts";
import { namedSockets } from "./unix-sockets.ts";

/**
 * What is started by others than the code, when someone works in the folder later: hooks, settings of editors and agents.
 * A run may read it only.
 */
const PROTECTED = [
  ...[".git/hooks", ".git/config", ".git/modules", ".githooks", ".husky"],
  ...[".vscode", ".idea", ".claude", ".cursor", ".codex", ".gemini", ".mcp.json"],
  ...[".envrc", ".direnv", ".bashrc", ".zshrc", ".profile", ".venv"],
];
/** What a run reaches without a proxy: itself. The operator may mean the machine's own by the same names. */
const OWN_HOSTS = ["localhost", "127.0.0.1", "::1"];
/** Always a run's own (shm_overview(7)). */
const SHARED_MEMORY = "/dev/shm";
const LAYERS = ["namespaces", "landlock", "seccomp"];

/** Where a run takes place, as far as its confinement depends on it. All paths are real. */
export interface Surroundings {
  workspace: string;
  /** The server's private folder. */
  root: string;
  /** Where the Python side of this program is. */
  pythonFolder: string;
  /** Where the proxy listens, if the policy names hosts. */
  proxy: string;
  cwd: string;
  /** Where the interpreter is, and what it is made from; see `pythonFolders`. */
  pythonFolders: string[];
  virtualEnv: string | undefined;
}

/**
 * What `python/py_executor_runtime/containment/spec.py` reads: the policy with everything resolved, as JSON. The same
 * text comes for all runs that may share a warm interpreter.
 */
export function describeConfinement(policy: Policy, place: Surroundings): string {
  const writable = outermost([place.workspace, ...policy.writable]);
  const isWritable = (path: string): boolean => writable.some((folder) => isWithin(path, folder));
  const emptied = temporaryFolders().filter(
    (folder) => ![...writable, ...policy.readable].includes(folder),
  );
  const temporary = emptied.length > 0 ? emptied : [SHARED_MEMORY]; // a run has one of its own
  const allowed = [...policy.readable, ...policy.writable];
  const { hidden, exceptions } = existingCredentials(homedir(), process.platform, allowed);
  const future = futureCredentials(homedir(), process.platform, allowed);
  const needed = [place.pythonFolder, ...place.pythonFolders];
  const shown = needed.filter((path) => hidden.some((folder) => isWithin(path, folder)));
  const fenced = [...temporary, ...hidden, ...foldersOf([...hidden, ...future])];
  const isFenced = (path: string): boolean => fenced.some((folder) => isWithin(path, folder));
  const sockets = namedSockets();
  const secret = [...hidden, ...future, place.root];
  const isIn = (folders: readonly string[]): boolean =>
    folders.some((folder) => isWithin(place.cwd, folder));
  /** Whether the folder holds something that would be uncovered with it. */
  const holds = (paths: readonly string[]): boolean =>
    paths.some((path) => isWithin(path, place.cwd));
  const mayBeShown = isOrdinaryTemporary(place.cwd) && !holds([...secret, ...sockets]);
  const isAway = isIn(secret) || (isIn(temporary) && !mayBeShown);
  const isShown = isWritable(place.cwd) || isIn(policy.readable);
  if (isAway && !isShown) throw hiddenCwd(place.cwd);
  const isWhole = !holds([...secret, ...temporary]);
  const visited = !isShown && isFenced(place.cwd) && isWhole ? [place.cwd] : [];
  const readable = outermost([...policy.readable, ...needed, ...visited]).filter(
    (path) => isFenced(path) && !isWritable(path),
  );
  // a run has other temporary folders, and those of the server are its own
  const isReachable = (path: string): boolean =>
    ![...temporary, ...allowed, place.root].some((folder) => isWithin(path, folder));
  return JSON.stringify({
    root: place.root,
    // a mount of its own can't be renamed away, and its hooks with it
    writable: [...writable, ...writable.map((folder) => join(folder, ".git")).filter(isFolder)],
    protected: protectedPaths(writable, place.virtualEnv),
    readable,
    // what is put there later is hidden as well
    hidden: [...beside(hidden, [...exceptions, ...shown]), ...future],
    sockets: sockets.filter(isReachable),
    temporary,
    network: typeof policy.net === "string" ? policy.net : "proxy",
    proxy: place.proxy,
    direct: OWN_HOSTS.filter((host) => !isNamed(policy, host)),
    temp_bytes: policy.limits.tempBytes,
    memory_bytes: policy.limits.memoryBytes,
    processes: policy.limits.processes,
    open_files: policy.limits.openFiles,
    file_bytes: policy.limits.fileBytes,
    cpu_seconds: policy.limits.cpuSeconds ?? 0,
    layers: LAYERS,
    strict: policy.sandbox === "strict",
  });
}

/** The caller names the folder, and must not be able to uncover anything by it. */
function hiddenCwd(cwd: string): PyExecutorError {
  return new PyExecutorError(
    "invalid_argument",
    `cwd ${cwd} lies where containment hides everything (credentials, /run, sockets of other programs). Use a folder in ` +
      `the workspace; the operator can show it to code by --allow-read=${cwd} or --allow-write=${cwd}.`,
    { argument: "cwd" },
  );
}

function isNamed({ net }: Policy, host: string): boolean {
  return typeof net !== "string" && net.some((rule) => rule.host === host);
}

function protectedPaths(writable: readonly string[], virtualEnv: string | undefined): string[] {
  const named = writable.flatMap((folder) => PROTECTED.map((name) => join(folder, name)));
  // in a worktree or a submodule it is a file, which says where the repository is, with its hooks
  named.push(...writable.map((folder) => join(folder, ".git")).filter((path) => !isFolder(path)));
  const own = virtualEnv === undefined ? [] : [realIfThere(virtualEnv)];
  return [...named, ...own]
    .map(realIfThere)
    .filter((path) => existsSync(path) && writable.some((folder) => isWithin(path, folder)));
}

/** Folders in which something is hidden, the outermost one left out: what appears in them later is not visible at once. */
function foldersOf(hidden: readonly string[]): string[] {
  return [...new Set(hidden.map((path) => dirname(path)))].filter((folder) => folder !== "/");
}

/** What is hidden, less the exceptions: a folder that holds one is hidden entry by entry. */
function beside(hidden: readonly string[], exceptions: readonly string[]): string[] {
  return hidden.flatMap((path) => {
    const inside = exceptions.filter((exception) => isWithin(exception, path));
    if (inside.length === 0) return [path];
    const entries = readdirSync(path).map((name) => join(path, name));
    const others = entries.filter((entry) => !inside.includes(entry));
    return beside(others, inside);
  });
}

/** What else is hidden from a run may stay hidden: these lists may be longer than they would be now. */
const MAY_BE_LONGER = new Set(["hidden", "sockets"]);

/** Whether a specification hides all that another one would, and is the same apart from that. */
export function covers(spec: string, other: string): boolean {
  if (spec === other) return true;
  const [mine, theirs] = [fieldsOf(spec), fieldsOf(other)];
  return Object.entries(theirs).every(([name, value]) => {
    const own = mine[name];
    if (!MAY_BE_LONGER.has(name) || !Array.isArray(value) || !Array.isArray(own))
      return JSON.stringify(own) === JSON.stringify(value);
    const known = new Set<unknown>(own);
    return value.every((entry) => known.has(entry));
  });
}

function fieldsOf(spec: string): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).parse(JSON.parse(spec));
}
