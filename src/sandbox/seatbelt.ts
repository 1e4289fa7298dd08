import { PyExecutorError } from "../errors.ts";
import type { HiddenPaths } from "./credentials.ts";
import type { Net } from "./net-rules.ts";
import { foldersBetween, isWithin } from "./path-sets.ts";
import type { Policy } from "./policy.ts";

/** What a run gets besides the policy. Paths are absolute and real: the kernel compares what links lead to. */
export interface SeatbeltView extends HiddenPaths {
  /** The workspace, unless code is to read it only. */
  writable: readonly string[];
  /** The private temporary folder. */
  temp: string;
  /** The server's proxy on this machine, which holds code to the hosts that the policy lists. */
  proxyPort?: number;
}

/**
 * The policy as a profile for `sandbox-exec -p` of macOS, for a run and all that it starts.
 *
 * Everything is denied but what is listed; where rules contradict each other the later one holds. So rules for paths are
 * written from the outermost to the innermost: what is said of a folder holds in it until something is said of one
 * below. There is no private loopback as on Linux, and the machine's own is full of databases and tools that trust whoever
 * reaches them. So it stays closed, except for the proxy; a server and its client within one run can use a Unix socket
 * in a folder that the run may write to. Limits are not a profile's business.
 *
 * Throws `invalid_option` for a path that can't be written in a profile.
 */
export function seatbeltProfile(policy: Policy, view: SeatbeltView): string {
  const writable = [...view.writable, view.temp, ...policy.writable];
  return [
    "(version 1)",
    "(deny default)",
    "(allow process-fork process-exec*)",
    "(allow signal (target same-sandbox))",
    "(allow process-info* (target same-sandbox))",
    rule("allow sysctl-read", SYSTEM_FACTS),
    rule("allow mach-lookup", SERVICES.map(service)),
    ...MULTIPROCESSING,
    "(allow file-read* file-map-executable)",
    ...DEVICES,
    ...fileRules(policy.readable, writable, view),
    ...netRules(policy.net, writable, view.proxyPort),
    "",
  ].join("\n");
}

/**
 * A string of the profile's language, a Scheme whose strings take everything as it is but `"` and `\`. (TinyScheme,
 * `readstrexp`; it knows no `\u`, so what JSON would write isn't the same path, and a rule for it would hold nothing.)
 *
 * Throws `invalid_option` for a path with a NUL, which would end the profile.
 */
export function quote(text: string): string {
  if (text.includes("\0")) {
    throw new PyExecutorError(
      "invalid_option",
      `${JSON.stringify(text)} holds a NUL, which no path can.`,
    );
  }
  return `"${text.replace(/["\\]/g, String.raw`\$&`)}"`;
}

/** What libc and Python ask the kernel. Not `kern.procargs2`: it tells other processes' environments. */
const SYSTEM_FACTS = [
  '(sysctl-name-prefix "hw.")',
  '(sysctl-name-prefix "machdep.")',
  ...`kern.argmax kern.boottime kern.hostname kern.maxfilesperproc kern.maxproc kern.ngroups kern.osproductversion
    kern.osrelease kern.ostype kern.osvariant_status kern.osversion kern.posix.sem.max kern.secure_kernel kern.usrstack64
    kern.version security.mac.lockdown_mode_state sysctl.proc_cputype vm.loadavg`
    .split(/\s+/)
    .map((name) => `(sysctl-name ${quote(name)})`),
];

/** User and group names. Not the SecurityServer, which hands out the keychain. */
const SERVICES = [
  "com.apple.system.opendirectoryd.libinfo",
  "com.apple.system.opendirectoryd.membership",
];
const SERVICES_OF_A_NETWORK = [
  "com.apple.SystemConfiguration.configd",
  "com.apple.SystemConfiguration.DNSConfiguration",
  "com.apple.networkd",
  "com.apple.trustd.agent",
];

/** Semaphores and shared memory by the names that Python, PyTorch and OpenMP give them. */
const MULTIPROCESSING = [
  '(allow ipc-posix-sem (ipc-posix-name-regex #"^/(mp-|loky-)"))',
  '(allow ipc-posix-shm* (ipc-posix-name-regex #"^/(psm_|torch_|__KMP_REGISTERED_LIB_)"))',
];

/** Not all of /dev: somebody else's terminal can be read there. */
const DEVICES = [
  '(deny file-read-data (subpath "/dev"))',
  rule("allow file-read-data", [
    '(literal "/dev")',
    ...["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"].map(literal),
    '(subpath "/dev/fd")',
  ]),
  rule(
    "allow file-write-data file-ioctl",
    ["/dev/null", "/dev/zero", "/dev/dtracehelper"].map(literal),
  ),
  '(allow file-write-data (subpath "/dev/fd"))',
];

function fileRules(
  readable: readonly string[],
  writable: readonly string[],
  { hidden, exceptions }: HiddenPaths,
): string[] {
  const seen = [...exceptions, ...readable, ...writable];
  // of equal paths the later one holds
  const rules = [
    ...hidden.map((path) => ({ path, what: "deny file-read* file-write*" })),
    ...[...exceptions, ...readable].map((path) => ({ path, what: "allow file-read*" })),
    ...writable.map((path) => ({ path, what: "allow file-read* file-write*" })),
  ].toSorted((one, other) => depth(one.path) - depth(other.path));
  // to find the way to what is seen, the folders above it have to be known, not what is in them
  const ways = seen.flatMap((path) => hidden.flatMap((folder) => foldersBetween(path, folder)));
  // a folder that was moved away would take what is hidden in it to where no rule is
  const kept = hidden.flatMap((path) =>
    writable.flatMap((folder) => (isWithin(path, folder) ? foldersBetween(path, folder) : [])),
  );
  return [
    ...rules.map(({ path, what }) => rule(what, [subpath(path)])),
    ...[...new Set(ways)].map((path) => rule("allow file-read-metadata", [literal(path)])),
    ...[...new Set(kept)].map((path) => rule("deny file-write-unlink", [literal(path)])),
  ];
}

function netRules(net: Net, writable: readonly string[], proxyPort: number | undefined): string[] {
  // asyncio's own socketpair has no path; sockets with one may be where code may write
  const local = [
    "(allow system-socket (socket-domain AF_UNIX))",
    ...writable.flatMap((path) => [
      `(allow network-bind network-inbound (local unix-socket ${subpath(path)}))`,
      `(allow network-outbound (remote unix-socket ${subpath(path)}))`,
    ]),
  ];
  if (net === "all") {
    return [
      ...local,
      "(allow system-socket)",
      '(allow network-outbound (remote ip "*:*"))', // not every Unix socket, such as Docker's
      '(allow network-bind network-inbound (local ip "*:*"))',
      '(allow network-outbound (literal "/private/var/run/mDNSResponder"))',
      rule("allow mach-lookup", SERVICES_OF_A_NETWORK.map(service)),
    ];
  }
  if (net === "none" || proxyPort === undefined) return local;
  return [...local, `(allow network-outbound (remote ip "localhost:${proxyPort}"))`];
}

function rule(what: string, filters: readonly string[]): string {
  return `(${[what, ...filters].join(" ")})`;
}

function subpath(path: string): string {
  return `(subpath ${quote(path)})`;
}

function literal(path: string): string {
  return `(literal ${quote(path)})`;
}

function service(name: string): string {
  return `(global-name ${quote(name)})`;
}

function depth(path: string): number {
  return path.split("/").filter(Boolean).length;
}
