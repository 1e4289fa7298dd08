import { describe, expect, test } from "vitest";
import {
  canonicalHost,
  netAllows,
  parseNetRule,
  type Net,
} from "../../../src/sandbox/net-rules.ts";

describe("a host of the list", () => {
  test.each([
    ["example.com", { host: "example.com" }],
    ["example.com:443", { host: "example.com", port: 443 }],
    ["Example.COM.", { host: "example.com" }],
    ["localhost:1", { host: "localhost", port: 1 }],
    ["my_host", { host: "my_host" }],
    ["xn--bcher-kva.example", { host: "xn--bcher-kva.example" }],
    ["*.example.com:65535", { host: "*.example.com", port: 65_535 }],
    ["*.internal", { host: "*.internal" }],
    ["192.0.2.7", { host: "192.0.2.7" }],
    ["192.0.2.7:80", { host: "192.0.2.7", port: 80 }],
    ["[::1]", { host: "::1" }],
    ["[2001:DB8:0:0::7]:443", { host: "2001:db8::7", port: 443 }],
  ])("may be %s", (entry, rule) => {
    expect(parseNetRule(entry)).toEqual(rule);
  });

  test.each([
    ["", "is no host"],
    [" example.com", "is no host"],
    ["https://example.com", "addresses of pages and ranges aren't taken"],
    ["10.0.0.0/8", "addresses of pages and ranges aren't taken"],
    ["::1", "in brackets, as [::1]"],
    ["[::1", "is no host"],
    ["[::1]443", "is no host"],
    ["[fe80::1%eth0]", "is no host"],
    ["[192.0.2.7]", "is no host"],
    ["[example.com]", "is no host"],
    ["example.com:", "has no port"],
    ["example.com:0", "has no port"],
    ["example.com:65536", "has no port"],
    ["example.com:080", "has no port"],
    ["example.com:https", "has no port"],
    ["example.com:443\n", "has no port"],
    ["a:1:2", "has no port"],
    ["*:443", "is no host"],
    ["all:443", "without a port"],
    ["all.", "without a port"],
    ["*", "is no host"],
    ["*.", "is no host"],
    ["*.*.com", "is no host"],
    ["a.*.com", "is no host"],
    ["*example.com", "is no host"],
    ["*.192.0.2.7", "is no host"],
    ["*.[::1]", "is no host"],
    ["127.1", "is no host"],
    ["2130706433", "is no host"],
    ["0x7f.1", "is no host"],
    ["0x7f000001", "is no host"],
    ["192.0.2.07", "is no host"],
    ["a..b", "is no host"],
    ["example.com..", "is no host"],
    ["-a.com", "is no host"],
    ["bücher.example", "is no host"],
    ["１２７.0.0.1", "is no host"],
    ["\u212Aa.com", "is no host"],
    ["user@example.com", "is no host"],
    [`${"a".repeat(64)}.com`, "is no host"],
    ["a.".repeat(127).concat("com"), "is no host"],
  ])("is not %j", (entry, problem) => {
    expect(parseNetRule(entry)).toContain(problem);
  });
});

describe("a connection", () => {
  const rules: Net = [
    { host: "example.com", port: 443 },
    { host: "*.example.org" },
    { host: "192.0.2.7" },
    { host: "2001:db8::7" },
  ];

  test.each([
    ["example.com", 443],
    ["EXAMPLE.com.", 443],
    ["a.example.org", 1],
    ["a.b.example.org", 65_535],
    ["192.0.2.7", 22],
    ["2001:DB8:0::7", 22],
    ["[2001:db8::7]", 22],
  ])("to %s:%i is allowed by a rule that names it", (host, port) => {
    expect(netAllows(rules, host, port)).toBe(true);
  });

  test.each([
    ["example.com", 80],
    ["a.example.com", 443],
    ["example.org", 443],
    ["notexample.org", 443],
    ["example.org.evil.net", 443],
    ["*.example.org", 443],
    ["a.example.org\0.evil.net", 443],
    ["evil.net/.example.org", 443],
    ["192.0.2.70", 22],
    ["192.0.2.007", 22],
    ["3221225991", 22],
    ["::ffff:192.0.2.7", 22],
    ["", 443],
  ])("to %j:%i is not", (host, port) => {
    expect(netAllows(rules, host, port)).toBe(false);
  });

  test("to anywhere is allowed by the whole network, to nowhere by none", () => {
    expect(netAllows("all", "anything at all", 1)).toBe(true);
    expect(netAllows("none", "localhost", 1)).toBe(false);
    expect(netAllows([], "localhost", 1)).toBe(false);
  });
});

test("a host that is written in one way stays as it is", () => {
  for (const host of ["example.com", "192.0.2.7", "2001:db8::7", "::ffff:c000:207"]) {
    expect(canonicalHost(host)).toBe(host);
  }
});
