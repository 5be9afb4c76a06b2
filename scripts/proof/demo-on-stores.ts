import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { bootSandbox } from "../../e2e/support/boot-sandbox.ts";
import { startPostgres } from "../../lib/adapters/db/testing/postgres-cluster.ts";

type DemoResult = {
  ok: boolean;
  plan: string;
  steps: { ok: boolean }[];
  creditsRedeemed: string;
  remainingBalance: string;
};

// Plays the story against the running product on each store.
const cluster = await startPostgres();
const stores = [
  { name: "PGlite", url: "" },
  ...(cluster ? [{ name: `Postgres ${cluster.version}`, url: cluster.url }] : []),
];
const results: string[] = [];
try {
  for (const store of stores) {
    const sandbox = await bootSandbox({ databaseUrl: store.url });
    try {
      const output = execFileSync(
        process.execPath,
        [
          "--import",
          "./scripts/typescript.mjs",
          "scripts/demo.ts",
          "--json",
          "--sandbox",
          join(sandbox.dataDir, "sandbox.json"),
        ],
        { encoding: "utf8" },
      );
      const result: DemoResult = JSON.parse(output);
      const held = result.steps.filter(({ ok }) => ok).length;
      if (!result.ok)
        throw new Error(`${store.name}: only ${held} of ${result.steps.length} steps passed.`);
      results.push(
        `${held} of ${result.steps.length} steps on ${store.name} (${result.plan} plan)`,
      );
    } finally {
      await sandbox.stop();
    }
  }
} finally {
  await cluster?.stop();
}
console.log(`demo: ${results.join("; ")}`);
