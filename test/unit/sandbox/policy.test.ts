import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readSettings } from "../../../src/config.ts";
import { PyExecutorError } from "../../../src/errors.ts";
import { isWithin } from "../../../src/sandbox/path-sets.ts";
import { policyOf, type Policy } from "../../../src/sandbox/policy.ts";
import { makeTestFolder, type TestFolder } from "../../support/test-folder.ts";

const MIB = 1024 ** 2;
/** Kept, so that what failed once is tried again; another one may be given by hand. */
const SEED = Number(process.env["FUZZ_SEED"] ?? 20_260_518);

let folder: TestFolder;
let home: string;

function makeFolders(): void {
  folder = makeTestFolder();
  home = join(folder.path, "home");
  mkdirSync(join(home, "data/deep"), { recursive: true });
  mkdirSync(join(home, ".ssh"));
  writeFileSync(join(home, "notes.txt"), "");
}

function policy(options: Record<string, unknown>): Policy {
  const { workspace } = folder;
  return policyOf(readSettings(options), { home, current: workspace, workspace });
}

function refusalOf(call: () => unknown): PyExecutorError {
  try {
    call();
  } catch (error) {
    if (error instanceof PyExecutorError) return error;
    throw error;
  }
  throw new Error("not refused");
}

describe("a policy", () => {
  beforeEach(makeFolders);
  afterEach(() => folder.remove());

  test("of no options is closed and bounded", () => {
    expect(policy({})).toEqual({
      sandbox: "auto",
      net: "none",
      readable: [],
      writable: [],
      limits: {
        memoryBytes: 2048 * MIB,
        processes: 512,
        openFiles: 1024,
        fileBytes: 1024 * 1024 * MIB,
        tempBytes: 512 * MIB,
        cpuSeconds: null,
      },
    });
  });

  test("of empty options is the same", () => {
    expect(policy({ allowNet: "", allowRead: "", allowWrite: "" })).toEqual(policy({}));
    expect(policy({ allowNet: [], allowRead: [], allowWrite: [] })).toEqual(policy({}));
    expect(policy({ allowNet: " , ", allowRead: ",", allowWrite: ",," })).toEqual(policy({}));
  });

  test("survives JSON", () => {
    const whole = policy({ allowNet: "a.com:1,b.com", allowRead: home, maxCpuSeconds: 3 });
    expect(JSON.parse(JSON.stringify(whole))).toEqual(whole);
    expect(JSON.parse(JSON.stringify(policy({})))).toEqual(policy({}));
  });

  test.each([
    ["*", "all"],
    ["all", "all"],
    ["ALL", "all"],
    ["example.com, *", "all"],
    ["example.com", [{ host: "example.com" }]],
    [" a.com:1 ,A.com:1, b.com", [{ host: "a.com", port: 1 }, { host: "b.com" }]],
    [[" [::1]:1 "], [{ host: "::1", port: 1 }]],
  ])("with hosts %j lets code reach %j", (allowNet, net) => {
    expect(policy({ allowNet }).net).toEqual(net);
  });

  test.each(["a.com b.com", "*,https://a.com", "all:443", ["a.com,b.com"]])(
    "with hosts %j is refused",
    (allowNet) => {
      expect(refusalOf(() => policy({ allowNet }))).toMatchObject({
        code: "invalid_option",
        argument: "allowNet",
      });
    },
  );

  test.each([
    ["2G", 2048 * MIB],
    ["64m", 64 * MIB],
    [" 16384K ", 16 * MIB],
    ["1.5GiB", 1536 * MIB],
    ["67108864", 64 * MIB],
    [67_108_864, 64 * MIB],
  ])("with a size of %j means %i bytes", (maxMemory, bytes) => {
    expect(policy({ maxMemory }).limits.memoryBytes).toBe(bytes);
  });

  test.each([
    "",
    "G",
    "1GB",
    "1P",
    "-1G",
    "0",
    "0.3",
    "1e3",
    "0x10",
    "1 G",
    "9".repeat(30),
    -1,
    1.5,
  ])("with a size of %j is refused", (maxFileSize) => {
    const { message } = refusalOf(() => policy({ maxFileSize }));
    expect(message).toContain("option maxFileSize: takes a number of bytes above 0, such as");
  });

  test("has its paths real, absolute, and none within another", () => {
    symlinkSync(join(home, "data"), join(home, "link"));
    expect(policy({ allowRead: "~/.ssh,~/.ssh/../notes.txt" }).readable).toEqual([
      join(home, ".ssh"),
      join(home, "notes.txt"),
    ]);
    expect(policy({ allowWrite: `~/data/deep,${home}/link,../home/data/` }).writable).toEqual([
      join(home, "data"),
    ]);
    expect(policy({ allowRead: "~" }).readable).toEqual([home]);
  });

  test("may have commas in its paths when they come as a list", () => {
    const odd = join(home, " a, b ");
    mkdirSync(odd);
    expect(policy({ allowWrite: [odd, ""] }).writable).toEqual([odd]);
  });

  test.each([
    ["allowRead", "~/none", "doesn't exist"],
    ["allowWrite", "none", "doesn't exist"],
    ["allowWrite", "~/notes.txt/x", "can't be found (ENOTDIR)"],
    ["allowRead", "~bob/data", "another user's ~"],
    ["allowRead", "a\0b", "NUL"],
    ["allowWrite", "/", "is the whole machine"],
    ["allowWrite", "~", "is your home"],
    ["allowWrite", "~/data/..", "is your home"],
    ["allowWrite", "~/..", "is above your home"],
    ["allowWrite", "~/data,/", "is the whole machine"],
  ])("with %s %j is refused, by name and with the reason", (option, path, reason) => {
    const refusal = refusalOf(() => policy({ [option]: path }));
    expect(refusal).toMatchObject({ code: "invalid_option", argument: option });
    expect(refusal.message).toContain(`option ${option}: `);
    expect(refusal.message).toContain(reason);
  });

  test("with a link to home or / to be written is refused like home itself", () => {
    symlinkSync(home, join(folder.path, "to-home"));
    symlinkSync("/", join(folder.path, "to-root"));
    for (const [name, reason] of [
      ["to-home", "is your home"],
      ["to-root", "is the whole machine"],
    ] as const) {
      const refusal = refusalOf(() => policy({ allowWrite: join(folder.path, name) }));
      expect(refusal.message).toContain(reason);
    }
  });

  test.each(["allowRead", "allowWrite"])(
    "doesn't follow a link that code could have put into the workspace: %s",
    (option) => {
      symlinkSync(join(home, ".ssh"), join(folder.workspace, "out"));
      symlinkSync(home, join(folder.workspace, "up"));
      for (const path of ["out", "up/.ssh", "./up/data/deep"]) {
        const refusal = refusalOf(() => policy({ [option]: path }));
        expect(refusal.message).toContain(`leads out of ${folder.workspace} by a symbolic link`);
      }
      symlinkSync(join(home, ".ssh"), join(home, "data/keys"));
      const options = { allowWrite: "~/data", [option]: "~/data,~/data/keys" };
      expect(refusalOf(() => policy(options)).message).toContain("by a symbolic link");
    },
  );

  test("takes a link within the workspace, and one outside of it", () => {
    mkdirSync(join(folder.workspace, "a"));
    symlinkSync("a", join(folder.workspace, "b"));
    symlinkSync(join(home, ".ssh"), join(folder.path, "keys"));
    expect(policy({ allowRead: "b,../keys" }).readable).toEqual([
      join(folder.workspace, "a"),
      join(home, ".ssh"),
    ]);
  });
});

describe("whatever the text is", () => {
  beforeAll(makeFolders);
  afterAll(() => folder.remove());

  const host = fc.oneof(
    fc.constantFrom("*", "all", "*.a.com", "a.com", "a.com:80", "A.com:80", "[::1]", "[::1]:443"),
    fc.constantFrom(
      "",
      " ",
      "::1",
      "127.1",
      "https://a.com",
      "*.",
      "10.0.0.0/8",
      "a:b",
      "[",
      "*:1",
    ),
    fc.domain(),
    fc.ipV4().map((address) => `${address}:80`),
    fc.ipV6().map((address) => `[${address}]`),
    fc.string(),
    fc.string({ unit: fc.constantFrom(..."aA1*.:[]%-_/\0 \nx0".split("")) }),
  );
  const path = fc.oneof(
    fc.constantFrom("~", "~/", "~/data", "~/data/deep", "~/.ssh/", "~bob", ".", "..", "/", "//"),
    fc.constantFrom("../home", "../home/data/../notes.txt", "/proc/self/root", "/tmp/", "\0"),
    fc.string(),
    fc.string({ unit: fc.constantFrom(..."~/.ad\0 ".split("")) }),
  );
  const amount = fc.oneof(
    fc.constantFrom("2G", "1.5M", "64MiB", "", "G", "-1", "NaN", "Infinity", "1e9", "0x10", "１"),
    fc.double(),
    fc.string(),
    fc.nat(),
  );
  const anything = (entry: fc.Arbitrary<string>) =>
    fc.oneof(
      { weight: 6, arbitrary: fc.array(entry, { maxLength: 4 }) },
      { weight: 3, arbitrary: fc.array(entry, { maxLength: 4 }).map((entries) => entries.join()) },
      { weight: 1, arbitrary: fc.anything() },
    );

  /** What a list of options names, read as plainly as it can be. */
  function entriesOf(said: unknown): string[] {
    const entries = typeof said === "string" ? said.split(",") : Array.isArray(said) ? said : [];
    return entries.map((entry) => String(entry).trim()).filter((entry) => entry !== "");
  }

  /** Undefined if the options are refused; anything but a refusal is a failure. */
  function attempt(options: Record<string, unknown>): Policy | undefined {
    try {
      return policy(options);
    } catch (error) {
      expect(error).toBeInstanceOf(PyExecutorError);
      return undefined;
    }
  }

  test("no host can be reached that it doesn't name", () => {
    fc.assert(
      fc.property(anything(host), (allowNet) => {
        const net = attempt({ allowNet })?.net;
        const said = entriesOf(allowNet).map((entry) => entry.toLowerCase());
        if (net === undefined) return;
        if (net === "none") expect(said).toEqual([]);
        else if (net === "all") expect(said.some((entry) => /^(\*|all)$/.test(entry))).toBe(true);
        else expect(net.every((rule) => said.some((entry) => isSaid(rule, entry)))).toBe(true);
      }),
      { seed: SEED, numRuns: 3000 },
    );
  });

  function isSaid({ host: name, port }: { host: string; port?: number }, entry: string): boolean {
    const end = port === undefined ? "" : `:${port}`;
    if (!name.includes(":")) return [`${name}${end}`, `${name}.${end}`].includes(entry);
    const address = /^\[(.*)\](:\d+)?$/.exec(entry);
    const written = address === null ? "" : new URL(`http://[${address[1]}]`).hostname;
    return written === `[${name}]` && (address?.[2] ?? "") === end;
  }

  test("no path opens that is neither named nor in what is named, and no home and no / to be written", () => {
    fc.assert(
      fc.property(anything(path), anything(path), (allowRead, allowWrite) => {
        const made = attempt({ allowRead, allowWrite });
        if (made === undefined) return;
        expect(made.readable.length).toBeLessThanOrEqual(entriesOf(allowRead).length);
        expect(made.writable.length).toBeLessThanOrEqual(entriesOf(allowWrite).length);
        for (const writable of made.writable) {
          expect(isWithin(home, writable)).toBe(false);
          const single = entriesOf(allowWrite).map((entry) => attempt({ allowWrite: [entry] }));
          expect(single.flatMap((one) => one?.writable ?? [])).toContain(writable);
        }
      }),
      { seed: SEED, numRuns: 1000 },
    );
  });

  test("no limit is beyond the number that it says, and none is lost", () => {
    const names = ["maxMemory", "maxProcesses", "maxOpenFiles", "maxFileSize", "maxTempSpace"];
    fc.assert(
      fc.property(fc.constantFrom(...names, "maxCpuSeconds"), amount, (name, value) => {
        const limits = attempt({ [name]: value })?.limits;
        if (limits === undefined) return;
        for (const limit of Object.values(limits)) {
          expect(limit === null || (Number.isSafeInteger(limit) && limit > 0)).toBe(true);
        }
        const digits = typeof value === "number" ? value : parseFloat(value);
        const most = digits * (typeof value === "string" && /[kmg]/i.test(value) ? 1024 ** 3 : 1);
        const changed = Object.entries(limits).filter(
          ([key, limit]) =>
            limit !== Object.entries(policy({}).limits).find(([k]) => k === key)?.[1],
        );
        for (const [, limit] of changed) expect(limit).toBeLessThanOrEqual(most);
      }),
      { seed: SEED, numRuns: 2000 },
    );
  });
});
