import "server-only";
import { Payments } from "@turnpike/payments";
import type { SandboxFile } from "@/lib/sandbox/sandbox-file.ts";

const PATIENCE_MS = 1_500;

/** What the demo account has left on the first of its plans that has any; `undefined` when none has. */
export async function readCreditsLeft(sandbox: SandboxFile): Promise<string | undefined> {
  const { subscriber, plans, url: baseUrl, environment } = sandbox;
  const payments = Payments.getInstance({
    apiKey: subscriber.apiKey,
    environment,
    baseUrl,
    timeoutMs: PATIENCE_MS,
    maxRetries: 0,
  });
  const balances = await Promise.all(
    [plans.crypto, plans.trial, plans.card].map((planId) =>
      payments.plans
        .getPlanBalance(planId, subscriber.address)
        // The page is worth showing without this number; a run reports what is wrong.
        .then(({ balance }) => balance)
        .catch(() => 0n),
    ),
  );
  return balances.find((balance) => balance > 0n)?.toString();
}
