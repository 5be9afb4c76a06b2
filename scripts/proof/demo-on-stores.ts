import { startPostgres } from "../../lib/adapters/db/testing/postgres-cluster.ts";
import { playDemo } from "./play-demo.ts";

// Plays the demo against the running product on each store.
const cluster = await startPostgres();
const stores = [
  { name: "PGlite", url: "" },
  ...(cluster ? [{ name: `Postgres ${cluster.version}`, url: cluster.url }] : []),
];
const results: string[] = [];
try {
  for (const { name, url } of stores) {
    results.push(
      await playDemo({ databaseUrl: url }, ({ steps, plan }) => {
        const held = steps.filter(({ ok }) => ok).length;
        return `${held} of ${steps.length} steps on ${name} (${plan} plan)`;
      }),
    );
  }
} finally {
  await cluster?.stop();
}
console.log(`demo: ${results.join("; ")}`);
