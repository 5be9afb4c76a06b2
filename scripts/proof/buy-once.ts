// Runs the sample of a public plan's page 20 times, one after the other and at once, and counts the orders:
// node scripts/with-sandbox.ts node scripts/proof/buy-once.ts
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Payments } from "@turnpike/payments";
import { subscriberJavascript } from "@/components/plans/subscriber-code.ts";
import { termsOfPlan } from "@/components/plans/terms-of-plan.ts";
import { openTerminal } from "./snippets/terminal.ts";
import { createReader, openSandbox } from "./snippets/world.ts";

const RUNS = 20;
const { url, subscriber, plans, agent } = await openSandbox();
const payments = Payments.getInstance({ apiKey: subscriber.apiKey, baseUrl: url });
const folder = await mkdtemp(join(tmpdir(), "turnpike-buy-once-"));
const runtime = { name: process.version, folder: "" };
const account = { apiKey: subscriber.apiKey, url, python: "python3" };
const { env } = await createReader(account, { folder, runtime, isBuilder: false });
const terminal = openTerminal(folder, env);

async function countOrders(planId: string): Promise<number> {
  const { items } = await payments.holdings.listOrders({ planId, limit: 100 });
  return items.length;
}

await terminal.run(`npm init -y && npm install ${url}/downloads/turnpike-payments.tgz`);
for (const [way, planId] of Object.entries({ "one by one": plans.crypto, "at once": plans.card })) {
  const terms = termsOfPlan(await payments.plans.getPlan(planId));
  const sample = {
    planId,
    terms,
    agent: { agentId: agent.agentId, verb: "POST", url: agent.url },
  };
  const code = subscriberJavascript(sample, { environment: "sandbox", origin: url });
  await writeFile(join(folder, "call.mjs"), code);
  const before = await countOrders(planId);
  // A run beside the one that orders may find no credits yet: it then stops without buying.
  const run = () =>
    terminal.run("node call.mjs").then(
      () => 1,
      (cause: Error) => {
        console.log(`buy once: ${way}: a run ${cause.message}`);
        return 0;
      },
    );
  const paid: number[] = [];
  if (way === "at once") paid.push(...(await Promise.all(Array.from({ length: RUNS }, run))));
  else for (let at = 0; at < RUNS; at++) paid.push(await run());
  const calls = paid.reduce((sum, one) => sum + one, 0);
  const orders = (await countOrders(planId)) - before;
  console.log(`buy once: ${way}: ${RUNS} runs, ${calls} calls paid, ${orders} orders`);
}
await rm(folder, { recursive: true, force: true });
