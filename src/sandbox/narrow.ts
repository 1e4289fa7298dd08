import { isAbsolute, resolve } from "node:path";
import { intersectNets, type Net } from "./net-rules.ts";
import { intersectFolders } from "./path-sets.ts";
import type { Limits, Policy } from "./policy.ts";

/** What a caller would have less of. What it doesn't name stays as it is; an empty list is nothing. */
export interface Wish {
  sandbox?: Policy["sandbox"] | undefined;
  net?: Net | undefined;
  /** Absolute and real: links are not looked at. */
  readable?: readonly string[] | undefined;
  /** Absolute and real: links are not looked at. */
  writable?: readonly string[] | undefined;
  limits?: { [name in keyof Limits]?: Limits[name] | undefined } | undefined;
}

const STRENGTH: Record<Policy["sandbox"], number> = { off: 0, auto: 1, strict: 2 };

/**
 * The policy less what the wish gives up. The result never allows what the policy doesn't: a wish for more is no error,
 * it is what was allowed before.
 *
 * @example narrow(policy, { net: "none", limits: { memoryBytes: 256 * 1024 ** 2 } })
 */
export function narrow(policy: Policy, wish: Wish): Policy {
  const { sandbox = policy.sandbox, net, readable, writable, limits = {} } = wish;
  const own = policy.limits;
  const cpuSeconds = lesser(own.cpuSeconds ?? Infinity, limits.cpuSeconds);
  return {
    sandbox: STRENGTH[sandbox] > STRENGTH[policy.sandbox] ? sandbox : policy.sandbox,
    net: net === undefined ? policy.net : intersectNets(policy.net, net),
    readable: fewer(policy.readable, readable),
    writable: fewer(policy.writable, writable),
    limits: {
      memoryBytes: lesser(own.memoryBytes, limits.memoryBytes),
      processes: lesser(own.processes, limits.processes),
      openFiles: lesser(own.openFiles, limits.openFiles),
      fileBytes: lesser(own.fileBytes, limits.fileBytes),
      tempBytes: lesser(own.tempBytes, limits.tempBytes),
      cpuSeconds: cpuSeconds === Infinity ? null : cpuSeconds,
    },
  };
}

function fewer(own: readonly string[], wished: readonly string[] | undefined): string[] {
  if (wished === undefined) return [...own];
  const paths = wished.filter((path) => isAbsolute(path)).map((path) => resolve(path));
  return intersectFolders(own, paths);
}

/** What is no number above 0 is no wish: the kernel takes 0 for a limit in one place, for none in another. */
function lesser(own: number, wished: number | null | undefined): number {
  if (typeof wished !== "number" || !(wished > 0) || wished > Number.MAX_SAFE_INTEGER) return own;
  return Math.min(own, Math.max(1, Math.floor(wished)));
}
