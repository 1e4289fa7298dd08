// @ts-check
import { renameSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { packageProgram, root, run } from "./process.mjs";

// The build goes to a folder of its own and replaces dist only when it is whole: a failed build leaves the last good
// one, and a server that is being started meanwhile finds its files. The folder is beside dist, not inside another,
// because source maps name sources by relative paths.
const staging = join(root, `dist-${process.pid}`);
const dist = join(root, "dist");

/**
 * Bundles the command line into one file, which starts faster than hundreds of small ones.
 *
 * `import.meta.url` in a bundle is the bundle's own address, whichever source file the code came from. So the source
 * computes `new URL("../python/", import.meta.url)` in one file only, right under src/, where the path is the same
 * as from dist/cli.js. A file in a deeper folder would point somewhere else once bundled.
 */
async function bundle() {
  // The module finds its program by itself where install scripts are blocked: its own is only a short cut.
  const esbuild = await import("esbuild");
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: ["src/cli.ts"],
    outfile: join(staging, "cli.js"),
    allowOverwrite: true,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    sourcemap: true,
    sourcesContent: false,
    legalComments: "eof",
    logLevel: "warning",
    // CommonJS packages such as pino `require` Node's own modules, and an ES module has no `require`.
    banner: {
      js: 'import { createRequire as createRequireOfBundle } from "node:module";\nconst require = createRequireOfBundle(import.meta.url);',
    },
  });
}

/** @returns {Promise<boolean>} */
async function build() {
  const startedAt = new Date();
  const tsc = packageProgram("typescript", "tsc");
  const emitted = await run([...tsc, "-p", "tsconfig.build.json", "--outDir", staging]);
  if (!emitted.ok) return false;
  await bundle();
  // Dated from the start, so that a source file saved during the build counts as newer.
  utimesSync(join(staging, "cli.js"), startedAt, startedAt);
  rmSync(dist, { recursive: true, force: true });
  renameSync(staging, dist);
  return true;
}

try {
  process.exitCode = (await build()) ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(staging, { recursive: true, force: true });
}
