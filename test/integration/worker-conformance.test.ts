/** What every worker promises. A worker that passes can take the place of another. */
import { afterAll, beforeAll, describe, expect } from "vitest";
import { endsWithAllItStarted } from "../support/conformance/deadlines.ts";
import { endsLikeAScript } from "../support/conformance/endings.ts";
import { startsAfresh } from "../support/conformance/fresh-starts.ts";
import { carriesOutput } from "../support/conformance/output.ts";
import { doesSeveralThingsAtOnce } from "../support/conformance/parallelism.ts";
import { tellsTheLastValue } from "../support/conformance/results.ts";
import { runsInCleanSurroundings, SERVERS_OWN } from "../support/conformance/surroundings.ts";
import { startExecutor, type ExecutorUnderTest } from "../support/executor.ts";
import { WORKERS } from "../support/workers.ts";

describe.each(WORKERS)("the $name worker", ({ options }) => {
  let executor: ExecutorUnderTest;
  const given = (): ExecutorUnderTest => executor;

  beforeAll(() => {
    Object.assign(process.env, SERVERS_OWN);
    executor = startExecutor({ maxRuns: 4, ...options });
  });
  afterAll(async () => {
    expect(await executor.close()).toEqual([]);
  });

  endsLikeAScript(given);
  endsWithAllItStarted(given);
  carriesOutput(given);
  tellsTheLastValue(given);
  runsInCleanSurroundings(given);
  startsAfresh(given);
  doesSeveralThingsAtOnce(given);
});
