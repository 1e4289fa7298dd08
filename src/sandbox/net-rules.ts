import { isIPv4, isIPv6 } from "node:net";

/** A host that code may reach: a name, `*.` and a name (all names below it, at any depth), or an address. */
export interface NetRule {
  /** In lower case, without brackets and without a dot at its end. */
  host: string;
  /** Without one: every port. */
  port?: number;
}

/** What code may reach: nothing, everything, or what one of the rules names. An empty list is written `none`. */
export type Net = "none" | "all" | NetRule[];

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** Resolvers read such names as numbers, `127.1` as 127.0.0.1 (inet_aton(3), WHATWG URL "ends in a number"). */
const ENDS_IN_A_NUMBER = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/;
const LONGEST_NAME = 253;
const PORT = /^[1-9]\d{0,4}$/;
const LAST_PORT = 65_535;

/** Whether an entry of a list stands for the whole network. */
export function isWholeNetwork(entry: string): boolean {
  return entry === "*" || entry.toLowerCase() === "all";
}

/**
 * Reads `host`, `host:port`, `[IPv6]` or `[IPv6]:port`, where the host may be `*.example.com`.
 *
 * @returns the rule, or in words why there is none
 */
export function parseNetRule(entry: string): NetRule | string {
  const said = JSON.stringify(entry.length > 100 ? `${entry.slice(0, 100)}…` : entry);
  if (entry.includes("/")) {
    return `${said} is no host: write \`host\` or \`host:port\` for each one; addresses of pages and ranges aren't taken`;
  }
  if (isIPv6(entry))
    return `${said} is an IPv6 address: write it in brackets, as [::1] or [::1]:443`;
  const parts = /^(\[[^[\]]*\]|[^:]*)(?::(.*))?$/s.exec(entry);
  const [, written = "", port] = parts ?? [];
  const isWildcard = written.startsWith("*.");
  const name = canonicalHost(isWildcard ? written.slice(2) : written);
  if (parts === null || name === undefined || (isWildcard && !isName(name))) {
    return `${said} is no host: write a name, *.name, an IPv4 address or an [IPv6 address], with or without :port`;
  }
  if (isWholeNetwork(name)) return `${said}: the whole network is written without a port, * or all`;
  const host = isWildcard ? `*.${name}` : name;
  if (port === undefined) return { host };
  if (!PORT.test(port) || Number(port) > LAST_PORT) {
    return `${said} has no port after its colon: write a number from 1 to ${LAST_PORT}, or no colon for every port`;
  }
  return { host, port: Number(port) };
}

/** A rule as {@link parseNetRule} reads it. */
export function formatNetRule({ host, port }: NetRule): string {
  const written = isIPv6(host) ? `[${host}]` : host;
  return port === undefined ? written : `${written}:${port}`;
}

/**
 * The one way in which a host is written in rules, so that what is compared is alike. An IPv6 address may stand in
 * brackets. Undefined for what is neither a name nor an address, also for numbers that resolvers take for addresses.
 */
export function canonicalHost(text: string): string | undefined {
  if (!/^[\x21-\x7e]+$/.test(text)) return undefined; // lower case is only sure to be the same host within ASCII
  const bare = /^\[(.*)\]$/.exec(text)?.[1] ?? text;
  if (isIPv6(bare)) {
    return bare.includes("%") ? undefined : new URL(`http://[${bare}]/`).hostname.slice(1, -1);
  }
  const host = bare.toLowerCase().replace(/\.$/, "");
  return bare === text && (isIPv4(host) || isName(host)) ? host : undefined;
}

/** Whether code may connect. The host is the name or address as it was asked for, before any look-up. */
export function netAllows(net: Net, host: string, port: number): boolean {
  if (net === "all") return true;
  const asked = canonicalHost(host);
  if (net === "none" || asked === undefined) return false;
  return net.some((rule) => covers(rule.host, asked) && (rule.port ?? port) === port);
}

/** What both allow. */
export function intersectNets(one: Net, other: Net): Net {
  if (one === "all") return other;
  if (other === "all") return one;
  if (one === "none" || other === "none") return "none";
  const both = one.flatMap((rule) => other.flatMap((second) => intersectRules(rule, second)));
  return netOf(both);
}

/** Rules without those said before; none of them is no network. */
export function netOf(rules: readonly NetRule[]): Net {
  const distinct = new Map(rules.map((rule) => [formatNetRule(rule), rule]));
  return distinct.size === 0 ? "none" : [...distinct.values()];
}

function intersectRules(one: NetRule, other: NetRule): NetRule[] {
  if (one.port !== undefined && other.port !== undefined && one.port !== other.port) return [];
  const port = one.port ?? other.port;
  const withPort = port === undefined ? {} : { port };
  if (covers(one.host, other.host)) return [{ host: other.host, ...withPort }];
  if (covers(other.host, one.host)) return [{ host: one.host, ...withPort }];
  return [];
}

/** Whether all that the second host means is meant by the first. `*.example.com` doesn't mean `example.com`. */
function covers(rule: string, host: string): boolean {
  return rule === host || (rule.startsWith("*.") && host.endsWith(rule.slice(1)));
}

function isName(host: string): boolean {
  return (
    host.length <= LONGEST_NAME &&
    !ENDS_IN_A_NUMBER.test(host) &&
    host.split(".").every((label) => LABEL.test(label))
  );
}
