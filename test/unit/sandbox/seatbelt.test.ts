import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PyExecutorError } from "../../../src/errors.ts";
import { quote, seatbeltProfile, type SeatbeltView } from "../../../src/sandbox/seatbelt.ts";
import type { Policy } from "../../../src/sandbox/policy.ts";

const SEED = 20_260_518;

const policy: Policy = {
  sandbox: "auto",
  net: "none",
  readable: [],
  writable: [],
  limits: {
    memoryBytes: 1,
    processes: 1,
    openFiles: 1,
    fileBytes: 1,
    tempBytes: 1,
    cpuSeconds: null,
  },
};
const view: SeatbeltView = {
  writable: ["/Users/ada/project"],
  temp: "/private/var/folders/x/run-1",
  hidden: ["/Users/ada/.ssh"],
  exceptions: [],
};

function linesOf(changes: Partial<Policy> = {}, viewChanges: Partial<SeatbeltView> = {}): string[] {
  return seatbeltProfile({ ...policy, ...changes }, { ...view, ...viewChanges }).split("\n");
}

type Expression = string | { text: string } | Expression[];

/** Reads a profile as TinyScheme does: lists, words, strings in which a backslash takes the next character as it is. */
function read(profile: string): Expression[] {
  let at = 0;
  function readString(): { text: string } {
    let text = "";
    for (at += 1; profile[at] !== '"'; at += 1) {
      if (at >= profile.length) throw new Error("a string has no end");
      if (profile[at] === "\\") at += 1;
      text += profile[at];
    }
    at += 1;
    return { text };
  }
  function readList(): Expression[] {
    const list: Expression[] = [];
    while (at < profile.length && profile[at] !== ")") {
      const char = profile[at] ?? "";
      if (/\s/.test(char)) at += 1;
      else if (char === '"') list.push(readString());
      else if (char === "(") {
        at += 1;
        list.push(readList());
        if (profile[at] !== ")") throw new Error("a list has no end");
        at += 1;
      } else {
        const [word = ""] = /^(?:#"[^"]*"|[^\s()"]+)/.exec(profile.slice(at)) ?? [];
        list.push(word);
        at += word.length;
      }
    }
    return list;
  }
  const all = readList();
  if (at !== profile.length) throw new Error("a list ends that never began");
  return all;
}

/** What the last rule for an action says of a path. */
function decision(profile: string, action: string, path: string): string {
  let said = "deny";
  for (const rule of read(profile)) {
    if (!Array.isArray(rule)) continue;
    const [what, ...rest] = rule;
    const actions = rest.filter((word) => typeof word === "string");
    const filters = rest.filter((filter) => Array.isArray(filter));
    const isMeant = actions.some((name) => new RegExp(`^${name.replace("*", ".*")}$`).test(action));
    const holds = filters.length === 0 || filters.some((filter) => covers(filter, path));
    if (isMeant && holds && typeof what === "string") said = what;
  }
  return said;
}

function covers([kind, value]: Expression[], path: string): boolean {
  if (typeof value !== "object" || Array.isArray(value)) return false;
  if (kind === "literal") return path === value.text;
  return kind === "subpath" && (path === value.text || path.startsWith(`${value.text}/`));
}

describe("a profile", () => {
  test("denies what it doesn't name, and lets a run start programs and signal its own", () => {
    expect(linesOf().slice(0, 5)).toEqual([
      "(version 1)",
      "(deny default)",
      "(allow process-fork process-exec*)",
      "(allow signal (target same-sandbox))",
      "(allow process-info* (target same-sandbox))",
    ]);
  });

  test("reads all but what is hidden", () => {
    const profile = seatbeltProfile(policy, view);
    expect(linesOf()).toContain("(allow file-read* file-map-executable)");
    expect(linesOf()).toContain('(deny file-read* file-write* (subpath "/Users/ada/.ssh"))');
    expect(decision(profile, "file-read-data", "/usr/lib/python")).toBe("allow");
    expect(decision(profile, "file-read-data", "/Users/ada/.ssh/id")).toBe("deny");
    expect(decision(profile, "file-read-data", "/dev/ttys001")).toBe("deny");
    expect(decision(profile, "file-read-data", "/dev/urandom")).toBe("allow");
  });

  test("writes the workspace, the temporary folder and what the policy names", () => {
    const profile = seatbeltProfile({ ...policy, writable: ["/data"] }, view);
    for (const path of ["/Users/ada/project/x", `${view.temp}/x`, "/data/x", "/dev/null"]) {
      expect(decision(profile, "file-write-data", path)).toBe("allow");
    }
    for (const path of ["/Users/ada/.zshrc", "/data2", "/private/var/folders/x/run-2", "/etc/x"]) {
      expect(decision(profile, "file-write-data", path)).toBe("deny");
    }
  });

  test("holds to what is said of the innermost folder, whatever the order", () => {
    const nested = seatbeltProfile(
      { ...policy, readable: ["/h/secret/open"], writable: ["/h/secret/out"] },
      {
        ...view,
        writable: ["/w"],
        hidden: ["/w/keys", "/h/secret"],
        exceptions: ["/h/secret/open"],
      },
    );
    const canRead = (path: string) => decision(nested, "file-read-data", path);
    const canWrite = (path: string) => decision(nested, "file-write-data", path);
    expect(["/w/a", "/w/keys", "/w/keys/a"].map(canRead)).toEqual(["allow", "deny", "deny"]);
    expect(["/w/a", "/w/keys", "/w/keys/a"].map(canWrite)).toEqual(["allow", "deny", "deny"]);
    expect(["/h/secret/a", "/h/secret/open/a", "/h/secret/out/a"].map(canRead)).toEqual([
      "deny",
      "allow",
      "allow",
    ]);
    expect(["/h/secret/open/a", "/h/secret/out/a"].map(canWrite)).toEqual(["deny", "allow"]);
    // the way to an exception can be found, and what is hidden can't be moved away with the folder that holds it
    expect(decision(nested, "file-read-metadata", "/h/secret")).toBe("allow");
    expect(decision(nested, "file-write-unlink", "/w")).toBe("deny");
    expect(decision(nested, "file-write-unlink", "/w/a")).toBe("allow");
  });

  test("without network has no address, not even this machine's, and Unix sockets where it may write", () => {
    const network = linesOf().filter((line) => line.includes("network"));
    expect(network).toEqual([
      '(allow network-bind network-inbound (local unix-socket (subpath "/Users/ada/project")))',
      '(allow network-outbound (remote unix-socket (subpath "/Users/ada/project")))',
      `(allow network-bind network-inbound (local unix-socket (subpath "${view.temp}")))`,
      `(allow network-outbound (remote unix-socket (subpath "${view.temp}")))`,
    ]);
  });

  test("with a list of hosts reaches the proxy and nothing else", () => {
    const net = [{ host: "example.com" }];
    const added = linesOf({ net }, { proxyPort: 4321 }).filter((line) => !linesOf().includes(line));
    expect(added).toEqual(['(allow network-outbound (remote ip "localhost:4321"))']);
    expect(linesOf({ net })).toEqual(linesOf());
  });

  test("with the whole network reaches addresses and names, but not each Unix socket", () => {
    const network = linesOf({ net: "all" }).filter((line) => line.startsWith("(allow network"));
    expect(network).toContain('(allow network-outbound (remote ip "*:*"))');
    expect(
      network.every(
        (line) =>
          line.includes("(local ") || line.includes("(remote ") || line.includes("mDNSResponder"),
      ),
    ).toBe(true);
  });

  test("asks nobody for the keychain and the kernel for no process's environment", () => {
    expect(seatbeltProfile({ ...policy, net: "all" }, view)).not.toMatch(
      /SecurityServer|securityd|procargs|\(allow sysctl-read\)|\(allow mach-lookup\)/,
    );
  });
});

describe("a path", () => {
  test.each([
    ["/a b", '"/a b"'],
    ['/a"b', String.raw`"/a\"b"`],
    ["/a\\b", String.raw`"/a\\b"`],
    [
      '/x"))(allow default)(allow file-read* (subpath "/',
      String.raw`"/x\"))(allow default)(allow file-read* (subpath \"/"`,
    ],
    ["/a\nb;c", '"/a\nb;c"'],
    ["/é€😀", '"/é€😀"'],
  ])("%j is quoted as %s", (path, quoted) => {
    expect(quote(path)).toBe(quoted);
  });

  test("with a NUL is refused", () => {
    expect(() => seatbeltProfile(policy, { ...view, hidden: ["/a\0b"] })).toThrow(PyExecutorError);
  });

  test("stays one string in the profile, whatever is in it", () => {
    const path = fc
      .oneof(
        fc.string({ unit: "binary" }),
        fc.string({ unit: fc.constantFrom(..."\"\\\n\r\t;#|() 'x/*".split("")) }),
      )
      .map((text) => `/${text.replaceAll("\0", "")}`);
    const rulesFor = (readable: string, hidden: string) =>
      read(seatbeltProfile({ ...policy, readable: [readable] }, { ...view, hidden: [hidden] }));
    /** The rules without what their strings say, whatever their order. */
    const shapeOf = (rules: Expression[]): string[] =>
      rules
        .map((rule) => JSON.stringify(rule).replaceAll(/"text":"(?:[^"\\]|\\.)*"/g, ""))
        .toSorted();
    const shape = shapeOf(rulesFor("/p", "/h"));
    fc.assert(
      fc.property(path, path, (one, other) => {
        expect(read(quote(one))).toEqual([{ text: one }]);
        const rules = rulesFor(`/p${one}`, `/h${other}`);
        expect(JSON.stringify(rules)).toContain(JSON.stringify({ text: `/p${one}` }));
        expect(JSON.stringify(rules)).toContain(JSON.stringify({ text: `/h${other}` }));
        expect(shapeOf(rules)).toEqual(shape);
      }),
      { seed: SEED, numRuns: 1000 },
    );
  });
});
