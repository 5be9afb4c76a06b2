import { configDefaults, defineConfig } from "vitest/config";
import { memoryFolder } from "./lib/testing/memory-folder.ts";

/**
 * Files of tests that `npm run proof` alone runs, as it does each `longTest`: real processes that are killed under load or lose what they
 * need, and the operator's tools, whose starts take a minute. `lib/server/instance.test.ts` kills one, and the tests beside what they crash
 * stop it before and after each step.
 */
const ONLY_IN_FULL = [
  "adapters/chain/bundler/bundler-recovery",
  "adapters/db/statistics",
  "server/crash",
  "server/events-crash",
  "server/exact-crash",
  "server/faults/lost-parts",
  "server/faults/upgrade-beside-calls",
  "server/tools",
].map((name) => `lib/${name}.test.ts`);

// In full, figures of databases are taken on the disk.
const memory = process.env.PROOF === "full" ? null : memoryFolder();
if (memory) process.env.TMPDIR = memory;

export default defineConfig({
  resolve: { tsconfigPaths: true },
  ssr: { resolve: { conditions: ["react-server"] } },
  test: {
    include: [
      "lib/**/*.test.ts",
      "app/**/*.test.ts",
      "components/**/*.test.ts",
      "e2e/**/*.test.ts",
    ],
    exclude: [...configDefaults.exclude, ...(process.env.PROOF === "full" ? [] : ONLY_IN_FULL)],
    testTimeout: 30_000,
    // A second, the default, is too short where other tests have both cores.
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 60_000,
    pool: "forks",
    // Twice the cores of the smallest machine: half of their time, tests wait for databases, chains and clocks.
    maxWorkers: 4,
    // As the service itself (ADR 163): collecting short-lived objects less often saves processor time.
    execArgv: ["--max-semi-space-size=64", "--min-semi-space-size=32"],
    // Loading the modules anew for each file took a third of the time. What a file replaces is restored at its end.
    isolate: false,
    unstubGlobals: true,
    unstubEnvs: true,
    restoreMocks: true,
    setupFiles: [
      "lib/testing/forget-settings.ts",
      "lib/testing/restore-globals.ts",
      "lib/testing/past-midnight.ts",
      "lib/testing/fresh-modules.ts",
      "app/_session/testing/outside-next.ts",
    ],
    globalSetup: ["lib/adapters/db/testing/stores.global.ts"],
  },
});
