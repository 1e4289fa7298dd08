/** How far runs are contained: by all that there is for it here, by a part of it, or not at all. */
export type SandboxLevel = "full" | "partial" | "none";

const LAYERS = ["namespaces", "landlock", "seccomp"];

/** @param layers what is in force, separated by commas, as a supervisor tells it */
export function levelOf(layers: string): SandboxLevel {
  const inForce = new Set(layers.split(",").filter(Boolean));
  if (inForce.size === 0) return "none";
  return LAYERS.every((layer) => inForce.has(layer)) ? "full" : "partial";
}
