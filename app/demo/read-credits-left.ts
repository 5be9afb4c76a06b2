import "server-only";
import { Payments } from "@turnpike/payments";
import type { SandboxFile } from "@/lib/sandbox/sandbox-file.ts";

const PATIENCE_MS = 1_500;

/** The demo account's credits on its first plan that has any; `undefined` if none has. */
export async function readCreditsLeft(sandbox: SandboxFile): Promise<string | undefined> {
  const { subscriber, visitor = subscriber, plans, url: baseUrl, environment } = sandbox;
  const payments = Payments.getInstance({
    apiKey: visitor.apiKey,
    environment,
    baseUrl,
    timeoutMs: PATIENCE_MS,
    maxRetries: 0,
  });
  const balances = await Promise.all(
    [plans.crypto, plans.trial, plans.card].map((planId) =>
      payments.plans
        .getPlanBalance(planId, visitor.address)
        // The page works without this number, and a run reports the error.
        .then(({ balance }) => balance)
        .catch(() => 0n),
    ),
  );
  return balances.find((balance) => balance > 0n)?.toString();
}
