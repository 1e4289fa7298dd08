/** What containment promises, and which of its layers keep the promise. The tests that attack each are in `test/containment`. */

import type { ContainmentReport } from "./level.ts";

/** One promise. */
export interface Claim {
  claim: string;
  /** What keeps it here; undefined: nothing, it is not kept. */
  heldBy: string | undefined;
}

type Layers = ReadonlySet<string>;

const CLAIMS: { claim: string; heldBy: (layers: Layers) => string | undefined }[] = [
  {
    claim: "credentials can't be read",
    heldBy: both("namespaces", "mounts", "landlock", "Landlock"),
  },
  {
    claim: "files outside of the workspace can't be changed",
    heldBy: both("namespaces", "read-only mounts", "landlock", "Landlock"),
  },
  {
    claim: "the workspace's .venv, git hooks and editor settings can't be changed",
    heldBy: only("namespaces", "read-only mounts"),
  },
  {
    claim: "temporary files are the run's own",
    heldBy: both("namespaces", "mounts", "landlock", "Landlock"),
  },
  {
    claim: "the network is what --allow-net says",
    heldBy: both("namespaces", "a network namespace", "seccomp", "no sockets at all"),
  },
  {
    claim: "programs can talk to themselves over loopback",
    heldBy: only("namespaces", "a network namespace"),
  },
  {
    claim: "other processes can't be seen",
    heldBy: only("namespaces", "a pid namespace"),
  },
  {
    claim: "other processes can't be signalled, traced or read",
    heldBy: both("namespaces", "a pid namespace", "scopes", "Landlock"),
  },
  {
    claim: "nothing outlives the run",
    heldBy: (layers) =>
      layers.has("namespaces")
        ? "the init process of a pid namespace"
        : "the supervisor, which adopts orphans",
  },
  {
    claim: "the more dangerous parts of the kernel can't be reached",
    heldBy: only("seccomp", "a filter of system calls"),
  },
  {
    claim: "temporary space is bounded",
    heldBy: only("namespaces", "a file system in memory of that size"),
  },
  {
    claim: "memory, processes, open files and file sizes are bounded",
    heldBy: (layers) =>
      layers.size > 0 ? "rlimits and the supervisor, which looks 20 times a second" : undefined,
  },
];

/** The promises and what keeps each, given what is in force. */
export function claimsOf({ layers, missing }: ContainmentReport): Claim[] {
  const known = new Set(layers);
  if (known.has("landlock") && !missing.has("signals")) known.add("scopes");
  return CLAIMS.map(({ claim, heldBy }) => ({ claim, heldBy: heldBy(known) }));
}

function only(layer: string, name: string): (layers: Layers) => string | undefined {
  return (layers) => (layers.has(layer) ? name : undefined);
}

function both(
  first: string,
  firstName: string,
  second: string,
  secondName: string,
): (layers: Layers) => string | undefined {
  return (layers) => {
    const names = [
      ...(layers.has(first) ? [firstName] : []),
      ...(layers.has(second) && !(layers.has(first) && second === "seccomp") ? [secondName] : []),
    ];
    return names.length === 0 ? undefined : names.join(" and ");
  };
}
