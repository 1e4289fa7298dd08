import { defineConfig } from "vitest/config";

// Machines that run these tests have two cores, and most tests start Python processes of their own.
const maxWorkers = 2;

export default defineConfig({
  test: {
    maxWorkers,
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/unit/**/*.test.ts"],
          testTimeout: 30_000, // they take moments, but not on a machine that is busy
          sequence: { groupOrder: 0 },
          maxWorkers,
        },
      },
      {
        test: {
          name: "integration",
          include: ["test/integration/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 0 },
          maxWorkers,
        },
      },
      {
        // After the others: some of these tests leave nothing of the processors to anyone else.
        test: {
          name: "containment",
          include: ["test/containment/**/*.test.ts"],
          testTimeout: 90_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 1 },
          maxWorkers,
        },
      },
      {
        // One file at a time, after the others: these tests time whole servers and count their processes.
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          globalSetup: ["test/support/installed-package.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 2 },
          maxWorkers: 1,
          fileParallelism: false,
        },
      },
    ],
  },
});
