/** Packages from the real index, by pip and by uv. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { evaluate, machine, refusal, usePackages } from "../support/packages.ts";
import { makeSourceOnly, makeWheel } from "../support/wheelhouse.ts";

const under = usePackages();

describe("the real index", () => {
  let tools: string;

  beforeAll(async () => {
    tools = join(under.folder.path, "tools");
    const variables = { ...machine };
    const environments = under.open({ folder: tools, variables });
    const provided = await under.provide(environments, ["uv"]);
    tools = join(provided.interpreter.virtualEnv ?? "", "bin");
    provided.release();
  }, 120_000);

  test("gives pip a package", async () => {
    const variables = { ...machine, PIP_FIND_LINKS: under.wheels }; // a setting of pip's: so it is pip
    const provided = await under.provide(under.open({ variables }), ["cowsay"]);
    expect(provided.notes[0]).toMatch(/with pip/);
    expect(
      evaluate(provided, "import cowsay; print(cowsay.get_output_string('cow', 'moo'))"),
    ).toMatch(/moo/);
    provided.release();
  });

  test("gives uv a package, compiled; and says what it doesn't have", async () => {
    const PATH = [tools, machine["PATH"]].join(delimiter);
    const environments = under.open({ variables: { ...machine, PATH } });
    const provided = await under.provide(environments, ["cowsay"]);
    expect(provided.notes[0]).toMatch(/with uv/);
    expect(existsSync(evaluate(provided, "import cowsay; print(cowsay.__cached__)"))).toBe(true);
    provided.release();
    const error = await refusal(under.provide(environments, ["no-such-package-zz-41c7"]));
    expect(error.message).toMatch(/with uv:[^]*no-such-package-zz-41c7[^]*Check the name/);
    const pinned = await refusal(under.provide(environments, ["cowsay==999"]));
    expect(pinned.message).toMatch(/cowsay==999[^]*Check the name and the version/);
  });

  test("and uv starts nothing that lies in an environment once packages are in it", async () => {
    const trace = join(under.folder.path, "pth-ran-by-uv");
    const files = { "evil.pth": `import os; open(${JSON.stringify(trace)}, 'w').close()\n` };
    makeWheel(under.wheels, { name: "eviltwin", files });
    const PATH = [tools, machine["PATH"]].join(delimiter);
    const variables = { ...machine, PATH, UV_NO_INDEX: "1", UV_FIND_LINKS: under.wheels };
    const provided = await under.provide(under.open({ variables }), ["eviltwin"]);
    expect(provided.notes[0]).toMatch(/with uv/);
    expect(existsSync(trace)).toBe(false);
    provided.release();
  });

  test("and uv refuses what has only its source, and versions that can't be had together", async () => {
    const trace = join(under.folder.path, "built-by-uv");
    makeSourceOnly(under.wheels, "sourceonly", trace);
    makeWheel(under.wheels, { name: "beta", version: "0.5" });
    const PATH = [tools, machine["PATH"]].join(delimiter);
    const variables = { ...machine, PATH, UV_NO_INDEX: "1", UV_FIND_LINKS: under.wheels };
    const environments = under.open({ variables });
    const source = await refusal(under.provide(environments, ["sourceonly"]));
    expect(source.message).toMatch(
      /with uv:[^]*sourceonly[^]*without a wheel .* \(`--allow-build`\)/,
    );
    expect(existsSync(trace)).toBe(false);
    const conflict = await refusal(under.provide(environments, ["alpha==1.0", "beta<1"]));
    expect(conflict.message).toMatch(/with uv:[^]*alpha depend on beta>=1[^]*unsatisfiable/);
    expect(under.cached()).toEqual([]);
  });

  test("is not asked by uv where the operator has set one for pip only", async () => {
    const PATH = [tools, machine["PATH"]].join(delimiter);
    const provided = await under.provide(
      under.open({ variables: { ...under.fromWheels(), PATH } }),
      ["beta"],
    );
    expect(provided.notes[0]).toMatch(/with pip/);
    provided.release();
  });
});
