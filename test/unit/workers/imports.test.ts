import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { importedPackages } from "../../../src/workers/imports.ts";
import { processorMs } from "../../support/processor-time.ts";

const packagesIn = (code: string): string[] => [...importedPackages(code)];

test.each<[string, string, string[]]>([
  ["a module", "import numpy", ["numpy"]],
  ["a module under another name", "import numpy as np", ["numpy"]],
  ["a submodule", "import matplotlib.pyplot as plt", ["matplotlib"]],
  ["several in one statement", "import os, numpy as np,xml.dom", ["os", "numpy", "xml"]],
  ["names of a module", "from numpy import array, zeros", ["numpy"]],
  ["names of a submodule", "from os.path import join", ["os"]],
  ["names in brackets", "from numpy import (\n  array,\n)", ["numpy"]],
  ["all names", "from numpy import *", ["numpy"]],
  ["blanks and tabs", "\timport \t numpy\nfrom\tpandas\timport DataFrame", ["numpy", "pandas"]],
  ["inside of functions", "def f():\n    import numpy\n    return 1", ["numpy"]],
  ["after another statement", "x = 1; import numpy", ["numpy"]],
  ["after a colon", "if True: from numpy import array", ["numpy"]],
  ["at Windows line ends", "import os\r\nimport numpy\r\n", ["os", "numpy"]],
  ["with a comment", "import numpy  # for speed", ["numpy"]],
  ["several times", "import numpy\nimport numpy as np", ["numpy"]],
  [
    "under private names",
    "import _socket\nfrom __future__ import division",
    ["_socket", "__future__"],
  ],
])("imports are seen: %s", (_what, code, packages) => {
  expect(packagesIn(code)).toEqual(packages);
});

test.each([
  ["no import", "print(1)"],
  ["the word in a comment", "# import numpy"],
  ["the word in a name", "important = 1\nreimport = 2\nimports = 3"],
  ["the word in a string on its line", "print('import numpy')"],
  ["a relative import", "from . import a\nfrom .b import c\nfrom .. import d"],
  ["half a statement", "import\nfrom\nfrom numpy\nfrom numpy important"],
  ["an empty text", ""],
])("nothing is seen in %s", (_what, code) => {
  expect(packagesIn(code)).toEqual([]);
});

describe("texts that are no Python", () => {
  test.each([
    ["one name", (length: number) => `from ${"a".repeat(length)}`],
    ["names with dots", (length: number) => `from ${"a.".repeat(length / 2)}`],
    ["blanks after a name", (length: number) => `from a${" ".repeat(length)}b`],
    ["blanks between the words", (length: number) => `from${" ".repeat(length)}`],
    ["blanks at the start", (length: number) => " ".repeat(length)],
    ["blanks after import", (length: number) => `import${" ".repeat(length)}`],
    ["ends of statements", (length: number) => "; ".repeat(length / 2)],
    ["words", (length: number) => "from import ".repeat(length / 12)],
    ["lines", (length: number) => "from a\n".repeat(length / 7)],
    ["dots and commas", (length: number) => `import ${".,".repeat(length / 2)}`],
  ])("are looked through without hanging: a megabyte of %s", (_what, text) => {
    const code = `${text(1_000_000)}\nimport numpy`;
    expect(processorMs(() => void importedPackages(code))).toBeLessThan(5000);
  });

  test("give names of modules or nothing", () => {
    const pieces = fc.constantFrom(
      ..."import from as numpy pandas.io os , . ; : ( ) * \\ ' \" # é \0".split(" "),
      " ",
      "\t",
      "\n",
      "\r\n",
    );
    const code = fc.array(pieces, { maxLength: 40 }).map((list) => list.join(""));
    fc.assert(
      fc.property(fc.oneof(code, fc.string({ unit: "binary" })), (text) => {
        for (const name of importedPackages(text)) expect(name).toMatch(/^\w+$/);
      }),
      { seed: 20240229, numRuns: 2000 },
    );
  });
});
