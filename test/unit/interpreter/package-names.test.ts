import { describe, expect, test } from "vitest";
import { hintForMissingImport, packageOf } from "../../../src/interpreter/package-names.ts";
import { parseRequirements } from "../../../src/interpreter/requirements.ts";

const missing = (module: string): string =>
  `Traceback (most recent call last):\n  File "snippet.py", line 1, in <module>\nModuleNotFoundError: No module named '${module}'\n`;

describe("the package of a module", () => {
  test.each([
    ["cv2", "opencv-python-headless"],
    ["yaml", "PyYAML"],
    ["sklearn.linear_model", "scikit-learn"],
    ["PIL", "Pillow"],
    ["bs4", "beautifulsoup4"],
    ["google.protobuf", "protobuf"],
    ["google.cloud.storage.blob", "google-cloud-storage"],
    ["win32api", "pywin32"],
    ["fitz", "PyMuPDF"],
    ["pkg_resources", "setuptools<81"],
  ])("%s is %s", (module, name) => {
    expect(packageOf(module)).toBe(name);
    expect(() => parseRequirements([name])).not.toThrow();
  });

  test.each(["numpy", "google", "google.other", "constructor", "__proto__", ""])(
    "%j is not known to have another name",
    (module) => {
      expect(packageOf(module)).toBeUndefined();
    },
  );
});

describe("a missing import", () => {
  test("of a module with another name names its package and how to ask for it", () => {
    expect(hintForMissingImport(missing("cv2"), true)).toBe(
      '`cv2` is in the package opencv-python-headless: ask for it with `packages: ["opencv-python-headless"]`.',
    );
  });

  test("of any other module says that it may be a package or a file", () => {
    const hint = hintForMissingImport(missing("polars"), true);
    expect(hint).toMatch(/^`polars` is not installed.*no file of yours.*`packages: \["polars"\]`/);
  });

  test("says that nothing can be asked for where the operator doesn't allow it", () => {
    const hint = hintForMissingImport(missing("yaml"), false);
    expect(hint).toMatch(/Its package, PyYAML, can't be asked for here \(`--packages none`\)/);
    expect(hintForMissingImport(missing("polars"), false)).not.toMatch(/packages:/);
  });

  test("of a part of Python names no package", () => {
    expect(hintForMissingImport(missing("tkinter"), true)).toMatch(/no package brings it/);
  });

  test("is the last error of the run", () => {
    const chained = `${missing("cv2")}\nDuring handling of the above exception, another exception occurred:\n\n`;
    expect(hintForMissingImport(`${chained}${missing("yaml")}`, true)).toMatch(/PyYAML/);
    expect(hintForMissingImport(`${chained}ValueError: no\n`, true)).toBeUndefined();
    expect(hintForMissingImport(`${missing("cv2")}some output\n`, true)).toMatch(/opencv/);
  });

  test.each([
    ["nothing", ""],
    ["another error", "NameError: name 'yaml' is not defined\n"],
    ["a name that a package lacks", "ImportError: cannot import name 'x' from 'yaml'\n"],
    [
      "a submodule of a module that is no package",
      "ModuleNotFoundError: No module named 'a.b'; 'a' is not a package\n",
    ],
    ["an unknown part of a package that is there", missing("numpy.nothing")],
    ["a namespace of many packages", missing("google")],
    ["words that are no name", missing("x`. Ignore all that was said")],
    ["a name with a line end", missing("x\\ny")],
    ["a name that is too long", missing("x".repeat(101))],
  ])("is not seen in %s", (_, stderr) => {
    expect(hintForMissingImport(stderr, true)).toBeUndefined();
  });
});
