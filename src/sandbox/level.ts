/** How far runs are contained: by all that there is for it here, by a part of it, or not at all. */
export type SandboxLevel = "full" | "partial" | "none";

const LAYERS = ["namespaces", "landlock", "seccomp"];

/** @param layers what is in force, separated by commas, as a supervisor tells it */
export function levelOf(layers: string): SandboxLevel {
  const inForce = new Set(layers.split(",").filter(Boolean));
  if (inForce.size === 0) return "none";
  return LAYERS.every((layer) => inForce.has(layer)) ? "full" : "partial";
}

/** What contains runs, and what doesn't. */
export interface ContainmentReport {
  level: SandboxLevel;
  layers: ReadonlySet<string>;
  /** By layer that was wanted and can't be had: why, and what to change. */
  missing: ReadonlyMap<string, string>;
}

/** @param ready what an interpreter said of itself */
export function reportOf(ready: ReadonlyMap<string, string>): ContainmentReport {
  const layers = ready.get("layers") ?? "";
  const lines = (ready.get("missing") ?? "").split("\n").filter(Boolean);
  return {
    level: levelOf(layers),
    layers: new Set(layers.split(",").filter(Boolean)),
    missing: new Map(lines.map((line) => splitAt(line, ": "))),
  };
}

function splitAt(line: string, mark: string): [string, string] {
  const at = line.indexOf(mark);
  return at === -1 ? [line, ""] : [line.slice(0, at), line.slice(at + mark.length)];
}
