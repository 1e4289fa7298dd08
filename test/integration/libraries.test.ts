/** Libraries that people use, each in a run of the real server: what it does, what is shown of it, and what it saves itself. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { librariesPython } from "../../scripts/python.mjs";
import { mapInOrder } from "../../src/schedule/batch.ts";
import { others } from "../support/libraries/others.ts";
import { pages } from "../support/libraries/pages.ts";
import { pictures } from "../support/libraries/pictures.ts";
import { tables } from "../support/libraries/tables.ts";
import { startServer, type ServerUnderTest } from "../support/server.ts";
import { imagesOf, listResources, readResource, type ShownDisplay } from "../support/shown.ts";
import type { ToolReply } from "../support/stdio-client.ts";

const isThere = existsSync(librariesPython);
let server: ServerUnderTest;

beforeAll(async () => {
  if (isThere) server = await startServer({ args: ["--python", librariesPython] });
});
afterAll(async () => {
  if (isThere) expect(await server.close()).toEqual([]);
});

const cases = [...tables, ...pictures, ...pages, ...others];

/** What is there for others, and shows nothing itself. */
const HELPERS = ["vl-convert-python"];

test("each library of the environment is tried", () => {
  const requirements = new URL("../python/requirements-libraries.txt", import.meta.url);
  const lines = readFileSync(requirements, "utf8").split("\n");
  const names = lines.flatMap((line) => /^[\w-]+/.exec(line)?.[0] ?? []);
  const tried = cases.map(({ library }) => library);
  expect(new Set([...tried, ...HELPERS])).toEqual(new Set(names));
});

/**
 * Runs code, for as long as it takes: a machine that is busy with other tests may be slow to import.
 *
 * @returns the answer that the tool has given
 */
async function answerTo(code: string): Promise<ToolReply> {
  const { client } = server;
  const { json } = await client.callTool("run_python", { code, background: true, timeout: 300 });
  for (;;) {
    const look = await client.callTool("get_run", { id: json["run_id"], wait_seconds: 40 });
    if (look.isError) throw new Error(look.json.error);
    if (look.json["result"] === undefined) continue;
    return { ...look, json: look.json["result"] as ToolReply["json"] };
  }
}

describe("a run", () => {
  let replies: PromiseSettledResult<ToolReply>[] = [];

  beforeAll(async () => {
    if (!isThere) return;
    // as many as CI has cores
    replies = await mapInOrder(cases, 2, async ({ code }) => {
      const [reply] = await Promise.allSettled([answerTo(code)]);
      return reply;
    });
  }, 600_000);

  test.for(cases.map((one, index) => ({ ...one, index })))(
    "with $library: $does",
    async ({ check, index }, { skip }) => {
      skip(!isThere, "missing: .cache/venv-libraries (`node scripts/prepare.mjs --science`)");
      const reply = replies[index];
      if (reply?.status !== "fulfilled") throw new Error("no answer", { cause: reply?.reason });
      const { json } = reply.value;
      expect(json).toMatchObject({ status: "ok", stderr: "" });
      await check({
        json,
        displays: (json["displays"] ?? []) as ShownDisplay[],
        images: imagesOf(reply.value),
        saved: (name) => readFileSync(join(server.folder.workspace, name)),
        read: (uri = "") => readResource(server.client, uri),
        listed: () => listResources(server.client),
      });
    },
  );
});
