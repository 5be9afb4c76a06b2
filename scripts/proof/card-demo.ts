import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createOperations, Payments } from "@turnpike/payments";
import { decodeAccessToken } from "@turnpike/payments/protocol";
import { figures } from "@/lib/console/operations.ts";
import { readSandboxFile } from "../../lib/sandbox/sandbox-file.ts";
import { playDemo } from "./play-demo.ts";

// Plays the demo on the card plan, uses a token with all five options, and compares the processor's charges.
await playDemo({ plan: "card" }, async ({ steps }, { dataDir, file }) => {
  const { subscriber, builder, plans, agent, url } = await readSandboxFile(file);
  const open = (apiKey: string) =>
    Payments.getInstance({ apiKey, environment: "sandbox", baseUrl: url });
  const payer = open(subscriber.apiKey);
  const [card] = await payer.delegation.listPaymentMethods();
  const { accessToken } = await payer.x402.getX402AccessToken(plans.card, agent.agentId, {
    scheme: "svc:card-delegation",
    delegationConfig: {
      providerPaymentMethodId: card?.id,
      spendingLimitCents: 2000n,
      durationSecs: 3600,
      currency: "usd",
      maxTransactions: 3,
    },
  });
  const { scheme } = decodeAccessToken(accessToken)?.accepted ?? {};
  if (scheme !== "svc:card-delegation") throw new Error(`The token has the scheme ${scheme}.`);
  const unpaid = await fetch(agent.url, { method: "POST", body: "{}" });
  const paid = await fetch(agent.url, {
    method: "POST",
    headers: { "content-type": "application/json", "payment-signature": accessToken },
    body: "{}",
  });
  if (unpaid.status !== 402 || paid.status !== 200 || !paid.headers.get("payment-response")) {
    throw new Error(`The agent returned ${unpaid.status}, then ${paid.status}.`);
  }
  const [sold] = (
    await createOperations(open(builder.apiKey).connection, figures).getEarnings({
      range: "24h",
      includeTest: true,
    })
  ).totals;
  const charged = chargedCents(join(dataDir, "cards", "journal.jsonl"));
  const ours = BigInt(sold?.amount ?? "0") / 10_000n;
  if (charged !== ours) throw new Error(`The processor charged ${charged}, we sold ${ours} cents.`);
  console.log(
    `card demo: ${steps.length} steps ok, token ${scheme}, ${unpaid.status} then ${paid.status}, charged ${charged} cents at the processor and ${ours} in the ledger`,
  );
});

/** The processor's charges from its journal: the last state of every payment counts. */
function chargedCents(journal: string): bigint {
  const payments = new Map<string, bigint>();
  for (const match of readFileSync(journal, "utf8").matchAll(
    /"id":"(pi_\w+)","object":"payment_intent".*?"amount_received":(\d+)/g,
  )) {
    payments.set(match[1] ?? "", BigInt(match[2] ?? "0"));
  }
  return [...payments.values()].reduce((sum, amount) => sum + amount, 0n);
}
