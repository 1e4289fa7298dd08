/**
 * START HERE. The way of a run: a request is checked, admitted, placed with a worker, and becomes a result.
 *
 * The engine knows nothing of protocols (its callers are `tools/`, `cli.ts` and the library's users) and nothing of
 * processes (`workers/`). What the user's code does is a result; what is our refusal or failing is thrown.
 */
import { setMaxListeners } from "node:events";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Settings } from "./config.ts";
import { PyExecutorError } from "./errors.ts";
import type {
  BatchOptions,
  BatchRequest,
  MapRequest,
  MapResult,
  OutputStream,
  RunOptions,
  RunRequest,
  RunResult,
} from "./execution.ts";
import { createInterpreterFinder } from "./interpreter/discover.ts";
import { Environments } from "./environments.ts";
import { Packages, type PackageReport } from "./interpreter/packages.ts";
import type { Logger } from "./observability/log.ts";
import { captureRun } from "./output/capture-run.ts";
import { Artifacts, withArtifacts } from "./output/artifacts.ts";
import { OutputStore } from "./output/output-store.ts";
import { describeRun } from "./output/result.ts";
import { Containment } from "./sandbox/confinement.ts";
import { reportOf, type ContainmentReport } from "./sandbox/level.ts";
import { isWritable, policyOf } from "./sandbox/policy.ts";
import { Admission, type Flow, type Place } from "./schedule/admission.ts";
import { mapInOrder } from "./schedule/batch.ts";
import { checkInput } from "./schedule/input.ts";
import type { Job, JobEnd } from "./schedule/job.ts";
import { RunPlaces, type RunPlace } from "./schedule/run-places.ts";
import { mapChunks, splitItems } from "./schedule/map.ts";
import {
  checkCode,
  checkCodes,
  clampTimeout,
  clampWorkers,
  resolveCwd,
} from "./schedule/request.ts";
import { SessionRuns, type RunTask } from "./sessions/session-runs.ts";
import { SessionStore, storeOf, type Client } from "./sessions/session-store.ts";
import { createWorker } from "./workers/create-worker.ts";
import { cacheFolder } from "./workers/import-memory.ts";
import type { RunEnd } from "./workers/worker.ts";
import { createFolders } from "./workspace.ts";

/**
 * Where the Python side is. The only place that asks: from `src/engine.ts` and from the built files in `dist/` alike it
 * is one level up.
 */
const PYTHON_FOLDER = fileURLToPath(new URL("../python/", import.meta.url));
/** The streams of a batch are shown up to this in all, so that hosts and clients take the answer (bytes). */
const SHOWN_BYTES_OF_A_BATCH = 1_000_000;
const RESULT_CHARS = 20_000;
/** The longest list that a chunk of a map may end in, as JSON. */
const LIST_BYTES = 4 * 1024 * 1024;
const STORED_BYTES_IN_ALL = 256 * 1024 * 1024;

/** Runs Python. `createExecutor` makes one. */
export interface Engine {
  /** Runs one snippet. */
  run(this: void, request: RunRequest, options?: RunOptions & Client): Promise<RunResult>;
  /** Runs independent snippets in parallel; the results are in the order of `codes`. */
  runBatch(
    this: void,
    request: BatchRequest,
    options?: BatchOptions & Client,
  ): Promise<RunResult[]>;
  /** Runs one snippet over chunks of a list in parallel; the results are in the order of `items`. */
  runMap(this: void, request: MapRequest, options?: BatchOptions & Client): Promise<MapResult>;
  /** Makes room for one client's sessions; the client's own `close` ends them. */
  openStore(this: void): SessionStore;
  /** Gets ready for runs in the workspace, so that the first one doesn't wait. */
  warm(): void;
  /** The full text of outputs that were too long to be shown. */
  readonly outputs: OutputStore;
  /** The files that runs have made or changed. */
  readonly artifacts: Artifacts;
  readonly settings: Settings;
  /** What contains runs in the workspace; rejects if none can be started. */
  containment(): Promise<ContainmentReport>;
  /** How packages would be had in the workspace; rejects if no Python can install any. */
  packages(): Promise<PackageReport>;
  /** How many runs go on now, and how many are over. */
  activity(): { running: number; finished: number };
  readonly workspace: { path: string; notice: string | undefined };
  /** Ends all runs; returns when no process and no file of them is left. May be called more than once. */
  close(this: void): Promise<void>;
}

export function createEngine(settings: Settings, log: Logger): Engine {
  const folders = createFolders(settings.workspace, process.cwd());
  const outputs = new OutputStore({
    root: folders.root,
    maxBytesEach: settings.storedOutputBytes,
    maxBytesInAll: Math.max(STORED_BYTES_IN_ALL, settings.storedOutputBytes),
  });
  const artifacts = new Artifacts((folder) => isWritable(policy, folders.workspace, folder));
  const admission = new Admission({ maxRunning: settings.maxRuns, maxWaiting: settings.maxQueued });
  const worker = createWorker({
    kind: settings.worker,
    maxSlots: settings.maxRuns,
    preload: settings.preload,
    workspace: folders.workspace,
    places: { boot: `${PYTHON_FOLDER}py_executor_runtime/boot.py`, root: folders.root },
    limits: {
      forwardBytes: Math.max(settings.storedOutputBytes, settings.outputBytes),
      tailBytes: settings.outputBytes,
      resultChars: RESULT_CHARS,
    },
    log,
  });
  const interpreters = createInterpreterFinder(settings.python, settings.pythonEnv);
  const policy = policyOf(settings, {
    home: homedir(),
    current: process.cwd(),
    workspace: folders.workspace,
  });
  const containment = new Containment({
    policy,
    workspace: folders.workspace,
    root: folders.root,
    pythonFolder: PYTHON_FOLDER,
    findDefault: interpreters.findDefault,
  });
  const environments = new Environments(
    interpreters,
    containment,
    settings.allowEnv,
    (environment) => worker.forget(environment),
  );
  const packages = new Packages({
    settings,
    folder: join(cacheFolder(process.env), "packages"),
    writable: policy.sandbox === "off" ? [] : [folders.workspace, folders.root, ...policy.writable],
    interpreters,
  });
  const places = new RunPlaces({
    workspace: folders.workspace,
    notice: folders.notice,
    environments,
    packages,
  });
  const sessionRuns = new SessionRuns({
    worker,
    resolveCwd: (cwd) => resolveCwd(cwd, folders.workspace),
    environmentFor: (cwd) => environments.for(cwd),
    hold: (request, snippets, options) => places.hold(request, snippets, options),
  });
  const closing = new AbortController();
  let closed: Promise<void> | undefined;
  let [running, finished] = [0, 0];

  async function run(request: RunRequest, options: RunOptions & Client = {}): Promise<RunResult> {
    checkCode(request.code, "code", settings.maxCodeBytes);
    const timeout = clampTimeout(request.timeout, settings, options.isBackground);
    const input = checkInput(request, settings);
    const shownBytes = settings.outputBytes;
    const runAt = async (place: RunPlace, runTask: RunTask): Promise<RunResult> => {
      const runJob = await begin(options, runTask);
      const findChanged = artifacts.watch(place.cwd || folders.workspace, input.files);
      const job = { code: request.code, timeout, ...place, ...input, shownBytes };
      const { result, runId, hasWrittenNothing } = await runJob(job, 0);
      return withArtifacts(result, await findChanged(runId, hasWrittenNothing));
    };
    const { session } = request;
    if (session !== undefined) {
      checkOpen();
      const withSignal = { ...options, signal: signalOf(options) };
      return sessionRuns.inCell(storeOf(options), { ...request, session }, withSignal, runAt);
    }
    const snippet = { code: request.code, argument: "code" };
    return withPlaces(request, [snippet], options, (placeOf, runTask) =>
      runAt(placeOf(0), runTask),
    );
  }

  async function runBatch(
    request: BatchRequest,
    options: BatchOptions & Client = {},
  ): Promise<RunResult[]> {
    checkCodes(request.codes, settings);
    if (request.codes.length === 0) return [];
    const timeout = clampTimeout(request.timeout, settings, options.isBackground);
    const workers = clampWorkers(request.maxWorkers, settings);
    const input = checkInput(request, settings);
    const shownBytes = shareOfShown(request.codes.length);
    const snippets = request.codes.map((code, index) => ({ code, argument: `codes[${index}]` }));
    return withPlaces(request, snippets, options, async (placeOf, runTask) => {
      const runJob = await begin(options, runTask);
      const findChanged = artifacts.watch(placeOf(0).cwd || folders.workspace, input.files);
      let [done, isUntouched] = [0, true];
      const results = await mapInOrder(request.codes, workers.value, async (code, index) => {
        const place = placeOf(index);
        const notes = index === 0 ? [...place.notes, workers.note] : place.notes;
        const job = { code, timeout, ...place, ...input, shownBytes, notes };
        const { result, hasWrittenNothing } = await runJob(job, index);
        isUntouched &&= hasWrittenNothing;
        options.onProgress?.((done += 1), request.codes.length);
        return result;
      });
      const { artifacts: changed } = await findChanged(outputs.newRunId(), isUntouched);
      if (changed.length > 0) options.onArtifacts?.(changed);
      return results;
    });
  }

  async function runMap(
    request: MapRequest,
    options: BatchOptions & Client = {},
  ): Promise<MapResult> {
    const { code } = request;
    checkCode(code, "code", settings.maxCodeBytes);
    const split = splitItems(request, settings);
    if (split.chunks.length === 0)
      return { results: [], chunkSizes: [], result: [], resultJson: "[]" };
    const timeout = clampTimeout(request.timeout, settings, options.isBackground);
    const workers = clampWorkers(request.maxWorkers, settings);
    const input = checkInput(request, settings);
    return withPlaces(request, [{ code, argument: "code" }], options, async (placeOf, runTask) => {
      const place = placeOf(0);
      const chunk = {
        code,
        ...place,
        ...input,
        timeout: { ...timeout, note: undefined }, // told once, of the map as a whole
        notes: [],
        shownBytes: shareOfShown(split.chunks.length),
        listBytes: LIST_BYTES,
      };
      const runJob = await begin(options, runTask);
      const findChanged = artifacts.watch(place.cwd || folders.workspace, input.files);
      let isUntouched = true;
      const { notes, ...mapped } = await mapChunks(
        split,
        workers.value,
        async (bindings, index) => {
          const end = await runJob({ ...chunk, bindings }, index);
          isUntouched &&= end.hasWrittenNothing;
          return end;
        },
        options.onProgress,
      );
      const told = [...place.notes, ...split.notes, workers.note, timeout.note, ...notes];
      const known = told.filter((note) => note !== undefined);
      const changed = await findChanged(outputs.newRunId(), isUntouched);
      return withArtifacts({ ...mapped, ...(known.length > 0 ? { notes: known } : {}) }, changed);
    });
  }

  /** The streams of a batch are shown up to a bound in all. */
  function shareOfShown(runs: number): number {
    return Math.min(settings.outputBytes, Math.floor(SHOWN_BYTES_OF_A_BATCH / runs));
  }

  /**
   * Gets a place for the first run of a request, which is under way then; without one it is refused, and nothing was
   * run.
   *
   * @returns what carries out the request's runs, of which number 0 takes that place
   */
  async function begin(
    options: RunOptions,
    runTask: RunTask,
  ): Promise<(job: Job, index: number) => Promise<JobEnd>> {
    const flow: Flow = Symbol("request");
    const signal = signalOf(options);
    const admitted = admit(flow, signal);
    options.onState?.("queued");
    const firstSeat = await admitted;
    if (firstSeat !== undefined) options.onState?.("running");
    return async (job, index) => {
      const seat = index === 0 ? firstSeat : await admit(flow, signal, true);
      const { onOutput: tell } = options;
      const onOutput = tell && ((stream: OutputStream, text: string) => tell(stream, text, index));
      return carryOut(job, seat, signal, onOutput, runTask);
    };
  }

  /**
   * Settles where each snippet of a request runs, for as long as `use` takes: in a fresh process, with the packages that
   * it asks for, or in a copy of a session.
   */
  async function withPlaces<Result>(
    request: Pick<BatchRequest, "cwd" | "packages" | "session">,
    snippets: readonly { code: string; argument: string }[],
    options: RunOptions & Client,
    use: (placeOf: (index: number) => RunPlace, runTask: RunTask) => Promise<Result>,
  ): Promise<Result> {
    checkOpen();
    const { session } = request;
    const withSignal = { ...options, signal: signalOf(options) };
    if (session !== undefined) {
      const where = { ...request, session };
      return sessionRuns.inCopies(storeOf(options), where, snippets, withSignal, (place, runTask) =>
        use((index) => (index === 0 ? place : { ...place, notes: [] }), runTask),
      );
    }
    const held = await places.hold(request, snippets, withSignal);
    try {
      return await use((index) => held.places[index] ?? held, worker.run.bind(worker));
    } finally {
      held.release();
    }
  }

  function checkOpen(): void {
    if (closed !== undefined) throw new PyExecutorError("closed", "The executor has been closed.");
  }

  function signalOf({ signal }: RunOptions): AbortSignal {
    const either = AbortSignal.any([closing.signal, ...(signal === undefined ? [] : [signal])]);
    setMaxListeners(0, either); // each run of a batch listens, and stops listening when it is over
    return either;
  }

  /** Waits for a place; undefined if the run was cancelled meanwhile. */
  async function admit(
    flow: Flow,
    signal: AbortSignal,
    isUnderWay = false,
  ): Promise<Place | undefined> {
    try {
      return await admission.admit(flow, signal, isUnderWay);
    } catch (error) {
      if (signal.aborted && !(error instanceof PyExecutorError)) return undefined;
      throw error;
    }
  }

  async function carryOut(
    { timeout, shownBytes, notes, ...what }: Job,
    seat: Place | undefined,
    signal: AbortSignal,
    onOutput: ((stream: OutputStream, text: string) => void) | undefined,
    runTask: RunTask,
  ): Promise<JobEnd> {
    const capture = captureRun(outputs, shownBytes, onOutput);
    const task = { ...what, timeout: timeout.value };
    running += 1;
    let end: RunEnd = { how: "cancelled", executable: what.environment.python };
    try {
      if (seat !== undefined) end = await runTask(task, { signal, ...capture.events });
    } finally {
      seat?.release();
      running -= 1;
      finished += 1;
    }
    capture.rethrow();
    const result = describeRun(end, capture.streams, {
      timeout: timeout.value,
      notes: [...notes, timeout.note],
      policy,
      displays: capture.displays,
      mayAskForPackages: packages.policy.mode !== "none",
    });
    const list = end.how === "exit" ? end.list : undefined;
    const hasWrittenNothing = end.how === "exit" && end.hasWrittenNothing === true;
    return { result, list, hasWrittenNothing, runId: capture.runId };
  }

  async function close(): Promise<void> {
    admission.close();
    closing.abort();
    await Promise.all([packages.close(), worker.close()]);
    await containment.close();
    outputs.close();
    folders.remove();
  }

  return {
    run,
    runBatch,
    runMap,
    openStore: () =>
      new SessionStore({ maxSessions: settings.maxSessions, idleMs: settings.sessionIdle * 1000 }),
    warm: () => {
      environments.for(folders.workspace).then(
        (environment) => worker.warm(environment),
        () => {}, // whatever is wrong is told to the first run
      );
    },
    containment: async () => {
      const environment = await environments.for(folders.workspace);
      return reportOf(await worker.describe(environment));
    },
    packages: () => packages.describe(folders.workspace),
    outputs,
    artifacts,
    settings,
    activity: () => ({ running, finished }),
    workspace: { path: folders.workspace, notice: folders.notice },
    close: () => (closed ??= close()),
  };
}
