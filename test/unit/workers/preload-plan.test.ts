import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  chooseTemplate,
  isForkSafe,
  planTemplates,
  standardModules,
  type PlannedTemplate,
} from "../../../src/workers/preload-plan.ts";

/** Each template as what it imports itself, after what its parent has. */
const shape = (plan: readonly PlannedTemplate[]): string[] =>
  plan.map(({ parent, own }) => `${parent.join()} + ${own.join()}`);

/** The template of a plan that imports a package itself. */
function templateWith(plan: readonly PlannedTemplate[], name: string): PlannedTemplate {
  const found = plan.find(({ own }) => own.includes(name));
  if (found === undefined) throw new Error(`no template imports ${name}`);
  return found;
}

describe("a plan", () => {
  test("is empty when nothing has been learned", () => {
    expect(planTemplates([], [])).toEqual([]);
  });

  test("has a chain of the heavy packages, each forked from the one before, whatever came first", () => {
    expect(shape(planTemplates(["matplotlib", "pandas", "numpy"], []))).toEqual([
      " + numpy",
      "numpy + pandas",
      "numpy,pandas + matplotlib",
    ]);
  });

  test("has what a package imports in any case in a template of its own before it", () => {
    expect(shape(planTemplates(["pandas"], []))).toEqual([" + numpy", "numpy + pandas"]);
    expect(shape(planTemplates([], ["pandas"]))).toEqual([" + numpy", "numpy + pandas"]);
  });

  test("puts what builds on heavy packages at the end of the chain", () => {
    const plan = planTemplates(["sklearn", "scipy", "numpy"], []);
    expect(shape(plan)).toEqual([" + numpy", "numpy + scipy,sklearn"]);
  });

  test("keeps light packages away from the heavy ones", () => {
    const { modules } = templateWith(planTemplates(["numpy", "requests", "yaml"], []), "requests");
    expect(modules).toContain("yaml");
    expect(modules).not.toContain("numpy");
  });

  test("has one template for all modules of the standard library, but large ones only when they are used", () => {
    const [standard, ...others] = planTemplates(["csv"], []);
    expect(others).toEqual([]);
    expect(standard?.modules).toEqual(expect.arrayContaining(["csv", "dataclasses", "typing"]));
    expect(standard?.modules).not.toContain("asyncio");
    const [withLarge, ...none] = planTemplates(["csv", "asyncio"], []);
    expect(none).toEqual([]);
    expect(withLarge?.modules).toEqual(expect.arrayContaining(["csv", "asyncio"]));
  });

  test("passes over what is not known to survive a fork", () => {
    expect(planTemplates(["torch", "my_module"], [])).toEqual([]);
    expect(isForkSafe("torch")).toBe(false);
  });

  test("has what the operator names, whatever it is, and last", () => {
    const plan = planTemplates(["numpy"], ["torch", "my.module"]);
    expect(shape(plan)).toEqual([" + numpy", "numpy + torch,my.module"]);
  });

  test("has a package that is named and learned once", () => {
    expect(shape(planTemplates(["numpy"], ["numpy"]))).toEqual([" + numpy"]);
  });

  const learned = fc.uniqueArray(
    fc.constantFrom(
      ..."numpy pandas matplotlib scipy sympy csv typing asyncio ssl PIL requests torch my_module".split(
        " ",
      ),
    ),
  );
  const named = fc.uniqueArray(fc.constantFrom(..."numpy pandas csv torch a.b".split(" ")));

  test("grows from what comes before it and imports everything that is wanted", () => {
    fc.assert(
      fc.property(learned, named, (names, operators) => {
        const plan = planTemplates(names, operators);
        const known = new Set([""]);
        for (const { modules, own, parent } of plan) {
          expect(known).toContain(parent.join());
          expect(modules).toEqual([...parent, ...own]);
          expect(own).not.toEqual([]);
          expect(new Set(modules).size).toBe(modules.length);
          expect(known).not.toContain(modules.join());
          known.add(modules.join());
        }
        const planned = new Set(plan.flatMap(({ modules }) => modules));
        for (const name of [...names.filter(isForkSafe), ...operators])
          expect(planned).toContain(name);
        for (const name of planned) expect(isForkSafe(name) || operators.includes(name)).toBe(true);
      }),
      { seed: 20240229, numRuns: 1000 },
    );
  });

  test("does not depend on the order in which something was learned", () => {
    fc.assert(
      fc.property(learned, named, (names, operators) => {
        expect(planTemplates(names.toReversed(), operators)).toEqual(
          planTemplates(names, operators),
        );
      }),
    );
  });
});

test("modules of the standard library are told apart from installed packages", () => {
  const imports = ["csv", "numpy", "asyncio", "torch", "json", "requests"];
  expect(standardModules(imports)).toEqual(["csv", "asyncio"]);
});

describe("the template for a snippet", () => {
  const [first, numpy, pandas, standard] = [
    { modules: [] },
    { modules: ["numpy"] },
    { modules: ["numpy", "pandas"] },
    { modules: ["csv", "typing", "pathlib"] },
  ];
  const all = [first, numpy, pandas, standard];
  const chosenFor = (...imports: string[]): unknown => chooseTemplate(all, new Set(imports));

  test("is the smallest that has what it imports", () => {
    expect(chosenFor()).toBe(first);
    expect(chosenFor("my_module")).toBe(first);
    expect(chosenFor("numpy")).toBe(numpy);
    expect(chosenFor("pandas")).toBe(pandas);
    expect(chosenFor("numpy", "pandas")).toBe(pandas);
    expect(chosenFor("csv")).toBe(standard);
  });

  test("is the one that has most, where none has all", () => {
    expect(chosenFor("csv", "numpy", "pandas")).toBe(pandas);
    expect(chosenFor("csv", "typing", "numpy")).toBe(standard);
    expect(chosenFor("numpy", "torch")).toBe(numpy);
  });

  test("has a submodule for its package", () => {
    const pyplot = { modules: ["matplotlib.pyplot"] };
    expect(chooseTemplate([first, pyplot], new Set(["matplotlib"]))).toBe(pyplot);
  });

  test("is none when there are none", () => {
    expect(chooseTemplate([], new Set(["numpy"]))).toBeUndefined();
  });

  test("is never worse than another", () => {
    const names = fc.uniqueArray(fc.constantFrom<string>("a", "b", "c", "d"));
    const templates = fc.array(fc.record({ modules: names }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(templates, names, (given, imports) => {
        const wanted = new Set(imports);
        const useful = ({ modules }: { modules: string[] }): number =>
          modules.filter((name) => wanted.has(name)).length;
        const best = chooseTemplate(given, wanted);
        expect(given).toContain(best);
        if (best === undefined) return;
        for (const other of given) {
          expect(useful(best)).toBeGreaterThanOrEqual(useful(other));
          if (useful(other) === useful(best))
            expect(best.modules.length).toBeLessThanOrEqual(other.modules.length);
        }
      }),
      { seed: 20240229, numRuns: 1000 },
    );
  });
});
