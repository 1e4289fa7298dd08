import { arch, release } from "node:os";
import type { Settings } from "../config.ts";
import { createEngine, type Engine } from "../engine.ts";
import { PyExecutorError } from "../errors.ts";
import { createInterpreterFinder } from "../interpreter/discover.ts";
import { createLog } from "../observability/log.ts";
import { claimsOf } from "../sandbox/claims.ts";
import { VERSION } from "../version.ts";
import { packageLines, projectLine } from "./doctor-packages.ts";

/** Told by the interpreter that runs would use. */
const QUESTIONS = `
import json, os, sys
print(json.dumps({
    "version": sys.version.split()[0],
    "implementation": sys.implementation.name,
    "prefix": sys.prefix,
    "pidfd": hasattr(os, "pidfd_open"),
    "sees": sorted(os.environ),
}))
`;

type Report = (isGood: boolean, what: string, fix?: string) => void;

/** `py-executor doctor`: says what is used and what works here; returns 1 if code can't be run. */
export async function doctor(settings: Settings): Promise<number> {
  let isHealthy = true;
  const report: Report = (isGood, what, fix) => {
    process.stdout.write(
      `${isGood ? "ok  " : "FAIL"}  ${what}\n${fix === undefined ? "" : `      → ${fix}\n`}`,
    );
    isHealthy &&= isGood;
  };
  const about = `Node ${process.version}, ${process.platform} ${release()} ${arch()}`;
  process.stdout.write(`py-executor ${VERSION}, ${about}\n\n`);
  const engine = createEngine(settings, createLog("silent"));
  try {
    report(true, `workspace: ${engine.workspace.path}`, engine.workspace.notice);
    await checkInterpreter(engine, report);
    const project = projectLine(engine.workspace.path);
    if (project !== undefined) report(true, project.what, project.fix);
    if (isHealthy) await checkRuns(engine, report);
    if (isHealthy) for (const { what, fix } of await packageLines(engine)) report(true, what, fix);
  } finally {
    await engine.close();
  }
  return isHealthy ? 0 : 1;
}

async function checkInterpreter(engine: Engine, report: Report): Promise<void> {
  try {
    const finder = createInterpreterFinder(engine.settings.python, engine.settings.pythonEnv);
    const { python, why } = await finder.find(engine.workspace.path);
    report(true, `Python: ${python} (${why})`);
  } catch (error) {
    if (!(error instanceof PyExecutorError)) throw error;
    report(false, "Python", error.message);
  }
}

async function checkRuns(engine: Engine, report: Report): Promise<void> {
  try {
    const { stdout, stderr, success } = await engine.run({ code: QUESTIONS });
    if (!success) {
      report(false, "running code", stderr.trim());
      return;
    }
    const facts: unknown = JSON.parse(stdout);
    report(true, `runs code: ${describe(facts)}`);
    const startedAt = performance.now();
    const { durationMs } = await engine.run({ code: "print('hello')" });
    report(
      true,
      `a run of hello takes ${Math.round(performance.now() - startedAt)} ms, ${durationMs} of them in Python`,
    );
    await checkContainment(engine, report);
  } catch (error) {
    if (!(error instanceof PyExecutorError)) throw error;
    report(false, "running code", error.message);
  }
}

/** Each promise of containment, and what keeps it here. */
async function checkContainment(engine: Engine, report: Report): Promise<void> {
  const found = await engine.containment();
  const { level, layers, missing } = found;
  const policy = engine.settings.sandbox;
  report(
    true,
    `containment: ${level}${layers.size > 0 ? ` (${[...layers].join(", ")})` : ""}`,
    policy === "off" ? "it was switched off by --sandbox off" : undefined,
  );
  for (const [layer, reason] of missing) report(true, `not in force: ${layer}`, reason);
  for (const { claim, heldBy } of claimsOf(found)) {
    process.stdout.write(
      `${heldBy === undefined ? "NOT " : "yes "}  ${claim}${heldBy === undefined ? "" : ` (${heldBy})`}\n`,
    );
  }
}

function describe(facts: unknown): string {
  if (typeof facts !== "object" || facts === null) return "";
  return Object.entries(facts)
    .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(" ") : String(value)}`)
    .join("; ");
}
