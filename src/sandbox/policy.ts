import { homedir } from "node:os";
import { z } from "zod";
import { byteSize, wholeNumber } from "./amounts.ts";
import { realIfThere, realPaths, refuseTooWide, type Place } from "./named-paths.ts";
import { formatNetRule, isWholeNetwork, netOf, parseNetRule, type Net } from "./net-rules.ts";
import { isWithin } from "./path-sets.ts";

/** Text is a list by commas; a list is taken as it is. Empty entries say nothing. */
const list = z
  .union([
    z.string().transform((text) => text.split(",").map((entry) => entry.trim())),
    z.array(z.string()),
  ])
  .transform((entries) => entries.filter((entry) => entry !== ""));

const hosts = list.transform((entries, context) => {
  const written = entries.map((entry) => entry.trim());
  const rules = written.filter((entry) => !isWholeNetwork(entry)).map(parseNetRule);
  for (const problem of rules.filter((rule) => typeof rule === "string")) {
    context.addIssue({ code: "custom", message: problem });
  }
  if (written.some(isWholeNetwork)) return ["*"];
  return rules.filter((rule) => typeof rule !== "string").map(formatNetRule);
});

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

/** The options that make the policy, each with what it means unset, empty and set. All are the operator's. */
export const policySettings = {
  /** Unset: `auto`. There is no empty value. `off` drops the containment of files, network and processes. */
  sandbox: z
    .enum(["auto", "strict", "off"])
    .default("auto")
    .describe(
      "Containment: the strongest there is here, all of it or no start (strict), or none (off)",
    ),
  /** Unset or empty: no network. Set: these hosts only, or with `*` or `all` among them everything. */
  allowNet: hosts
    .default([])
    .describe(
      "Hosts that code may reach, host[:port] by commas, *.name for all below it; without a value or *: the whole network",
    ),
  /** Unset or empty: nothing besides the default. Set: these are readable although they are hidden by default. */
  allowRead: list
    .default([])
    .describe(
      "Hidden files and folders (credentials, other temporary folders, /run) that code may read after all, by commas",
    ),
  /** Unset or empty: the workspace and a private temporary folder. Set: these besides. */
  allowWrite: list
    .default([])
    .describe(
      "Files and folders that code may write besides the workspace and its temporary folder, by commas",
    ),
  /** Unset: 2 GiB. Empty is refused. Counted over all processes of a run together. */
  maxMemory: byteSize({ min: 16 * MIB, why: "a Python needs about as much for itself" })
    .default(2 * GIB)
    .describe("Memory of a run with all its processes, in bytes or as 512M, 2G"),
  /** Unset: 512. Empty is refused. */
  maxProcesses: wholeNumber.default(512).describe("Processes and threads of a run"),
  /** Unset: 1024. Empty is refused. */
  maxOpenFiles: wholeNumber
    .default(1024)
    .describe("Files and sockets that a process may have open"),
  /** Unset: 1 TiB, which sparse files may have. Empty is refused. */
  maxFileSize: byteSize()
    .default(1024 * GIB)
    .describe("Longest file that code may write, in bytes or as 512M, 2G"),
  /** Unset: 512 MiB. Empty is refused. */
  maxTempSpace: byteSize()
    .default(512 * MIB)
    .describe("Space in a run's temporary folder, in bytes or as 512M, 2G"),
  /** Unset: no limit besides the deadline. Empty is refused. */
  maxCpuSeconds: wholeNumber
    .optional()
    .describe(
      "Seconds of processor time that a process may use (default: no limit but the timeout)",
    ),
};

const policySettingsSchema = z.object(policySettings);
type PolicySettings = z.output<typeof policySettingsSchema>;

/** Bounds of a run. Each holds for the run as a whole unless it says otherwise. */
export interface Limits {
  /** Memory of all processes together, in bytes. */
  memoryBytes: number;
  /** Processes and threads. */
  processes: number;
  /** Open descriptors of one process. */
  openFiles: number;
  /** Length of one file, in bytes. */
  fileBytes: number;
  /** Space in the private temporary folder, in bytes. */
  tempBytes: number;
  /** Processor time of one process, in seconds; null means no limit besides the deadline. */
  cpuSeconds: number | null;
}

/** What a run may do, as plain data that survives JSON. Paths are absolute, real, and name what existed at the start. */
export interface Policy {
  sandbox: PolicySettings["sandbox"];
  /** `none` where nothing was said. */
  net: Net;
  /** Readable although hidden by default. Empty: the default holds, all but what is hidden. */
  readable: string[];
  /** Writable besides the workspace and the private temporary folder. Empty: nothing else is. */
  writable: string[];
  limits: Limits;
}

/**
 * The policy that checked settings mean on this machine. Throws `invalid_option` for a path that isn't there or that is
 * too wide to be written.
 *
 * @example policyOf(readSettings({ allowNet: "pypi.org:443" })).net // [{ host: "pypi.org", port: 443 }]
 */
export function policyOf(
  settings: PolicySettings,
  place: Place = { home: homedir(), current: process.cwd() },
): Policy {
  refuseTooWide(settings.allowWrite, place);
  const writable = realPaths("allowWrite", settings.allowWrite, place);
  return {
    sandbox: settings.sandbox,
    net: netOfEntries(settings.allowNet),
    readable: realPaths("allowRead", settings.allowRead, place, writable),
    // once more, since one of these folders may lead out of another one
    writable: realPaths("allowWrite", settings.allowWrite, place, writable),
    limits: {
      memoryBytes: settings.maxMemory,
      processes: settings.maxProcesses,
      openFiles: settings.maxOpenFiles,
      fileBytes: settings.maxFileSize,
      tempBytes: settings.maxTempSpace,
      cpuSeconds: settings.maxCpuSeconds ?? null,
    },
  };
}

/** Whether code that works in a workspace can write to a folder. */
export function isWritable(
  { sandbox, writable }: Policy,
  workspace: string,
  folder: string,
): boolean {
  const real = realIfThere(folder);
  return (
    sandbox === "off" || [workspace, ...writable].some((one) => isWithin(real, realIfThere(one)))
  );
}

function netOfEntries(entries: readonly string[]): Net {
  if (entries.some(isWholeNetwork)) return "all";
  return netOf(entries.map(parseNetRule).filter((rule) => typeof rule !== "string"));
}
