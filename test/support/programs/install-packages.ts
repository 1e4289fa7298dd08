/** A server that does nothing but install: `node install-packages.js CACHE_FOLDER PACKAGE...`. To be bundled, and killed. */
import { BasePythons } from "../../../src/interpreter/base-python.ts";
import { createInterpreterFinder } from "../../../src/interpreter/discover.ts";
import { PackageEnvironments } from "../../../src/interpreter/package-environments.ts";
import { readPackageWish } from "../../../src/interpreter/package-wish.ts";

const [, , folder = "", ...packages] = process.argv;
const { findDefault } = createInterpreterFinder(undefined);
const environments = new PackageEnvironments({
  folder,
  allowBuild: false,
  installTimeout: 60,
  maxSpace: 1024 ** 3,
  basePythons: new BasePythons([], findDefault),
  variables: process.env,
});
const request = { code: "", argument: "code", packages };
const wish = await readPackageWish(request, { mode: "any", listed: [] });
if (wish !== undefined) await environments.provide(wish, await findDefault());
