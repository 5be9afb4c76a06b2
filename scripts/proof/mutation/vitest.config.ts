import { defineConfig } from "vitest/config";

/** The tests that need no database, each file in a process that no mutant has touched. */
export default defineConfig({
  resolve: { tsconfigPaths: true },
  ssr: { resolve: { conditions: ["react-server"] } },
  test: {
    include: [
      "lib/domain/permissions/{decide,amount-to-take,refusal}.test.ts",
      "lib/sdk/gate/{gate,leases,paid-calls,routes,stream,report}.test.ts",
      "lib/sdk/gate/verdict/*.test.ts",
      "lib/sdk/gate/{repeats,queue}/*.test.ts",
    ],
    // Every pair of changes, and some drawn ones.
    env: { DECISIONS: "40000" },
    testTimeout: 60_000,
    unstubGlobals: true,
    unstubEnvs: true,
    restoreMocks: true,
  },
});
