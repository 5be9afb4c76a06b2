import { expect, type Page } from "@playwright/test";
import { createOperations } from "@turnpike/payments";
import {
  getFixedCreditsConfig,
  getFreePriceConfig,
  PaymentsError,
} from "@turnpike/payments/protocol";
import { runs } from "../../lib/console/operations.ts";
import { sampleRun } from "../../lib/console/shared-run.ts";
import { payOnce } from "./parties.ts";
import { clientOf, readSandbox } from "./sandbox-file.ts";
import { makeApiKey } from "./subscriber.ts";

type Client = ReturnType<typeof clientOf>;

/** The ids in page URLs. */
export type PageIds = {
  planId: string;
  agentId: string;
  delegationId: string;
  orderId: string;
  tokenId: string;
  requestId: string;
  settlementId: string;
  shareId: string;
  /** A customer of the builder. */
  address: string;
  disputeId: string;
  approvalId: string;
};

/** The demo accounts with data: one object of each kind, and calls with every outcome. */
export async function loadedWorld(): Promise<PageIds> {
  const sandbox = await readSandbox();
  const builder = clientOf(sandbox.builder);
  const subscriber = clientOf(sandbox.subscriber);
  const requestId = await payOnce();
  const { settlementId = "" } = await builder.requests.getRequest(requestId);
  const { orderId } = await subscriber.plans.orderPlan(sandbox.plans.crypto);
  const { delegationId } = await subscriber.delegation.createDelegation({
    provider: "erc4337",
    spendingLimitCents: 2_000n,
    durationSecs: 86_400,
    currency: "usd",
    name: "Nightly batch",
  });
  const { tokenId } = await subscriber.x402.getX402AccessToken(
    sandbox.plans.crypto,
    sandbox.agent.agentId,
    { delegationConfig: { delegationId } },
  );
  const { shareId } = await createOperations(subscriber.connection, runs).shareRun(
    JSON.stringify(sampleRun),
  );
  await builder.requests.reportRequests({
    requests: [
      { httpStatus: 402, moneyStatus: "challenged" as const },
      { httpStatus: 402, moneyStatus: "refused" as const, reason: "expired_token" },
      {
        httpStatus: 200,
        moneyStatus: "delivered-unsettled" as const,
        reason: "insufficient_balance",
        agentRequestId: `unpaid-${crypto.randomUUID()}`,
      },
    ].map((request) => ({
      at: new Date().toISOString(),
      method: "POST",
      path: "/v1/ask",
      planId: sandbox.plans.crypto,
      agentId: sandbox.agent.agentId,
      verifyMs: 4,
      ...request,
    })),
  });
  return {
    planId: sandbox.plans.crypto,
    agentId: sandbox.agent.agentId,
    delegationId,
    orderId,
    tokenId,
    requestId,
    settlementId,
    shareId,
    address: sandbox.subscriber.address,
    disputeId: await disputedOrder(builder, subscriber, sandbox.plans.card),
    approvalId: await waitingOrder(subscriber, sandbox.plans.crypto, delegationId),
  };
}

/** An order by an API key that waits for a person, because of the budgets of its delegation. */
export async function waitingOrder(
  { budgets, plans }: Client,
  planId: string,
  delegationId: string,
): Promise<string> {
  const limits = [
    { period: "call" as const, unit: "money" as const, limit: 10_000n },
    { period: "week" as const, unit: "credits" as const, limit: 500n },
  ];
  await budgets.setDelegationBudgets(delegationId, { limits, approval: { above: 0n } });
  const refused = await plans.orderPlan(planId, { delegationId }).catch((cause) => cause);
  const found =
    PaymentsError.is(refused) && refused.details?.find(({ path }) => path === "approvalId");
  return found ? found.message : "";
}

/** An order by a card whose holder disputes the payment. */
export async function disputedOrder(
  builder: Client,
  subscriber: Client,
  planId: string,
): Promise<string> {
  const { paymentMethodId } = await subscriber.paymentMethods.addPaymentMethod({
    testCard: "pm_card_createDispute",
  });
  await subscriber.plans.orderPlan(planId, { providerPaymentMethodId: paymentMethodId });
  let disputeId: string | undefined;
  await expect
    .poll(async () => {
      const { items } = await builder.money.listDisputes();
      disputeId = items[0]?.disputeId;
      return items.length;
    })
    .toBeGreaterThan(0);
  return disputeId ?? "";
}

/** A new account with one unused object of each kind. */
export async function emptyWorld(page: Page): Promise<PageIds> {
  const fresh = clientOf({ apiKey: await makeApiKey(page) });
  const { planId } = await fresh.plans.registerCreditsPlan(
    { name: "No orders yet" },
    getFreePriceConfig(),
    getFixedCreditsConfig(10n),
  );
  const { agentId } = await fresh.agents.registerAgent({ name: "No orders yet" }, {});
  const { delegationId } = await fresh.delegation.createDelegation({
    provider: "erc4337",
    spendingLimitCents: 500n,
    durationSecs: 3_600,
    currency: "usd",
    name: "Not used",
  });
  const missing = "00000000-0000-4000-8000-000000000000";
  return {
    planId,
    agentId,
    delegationId,
    orderId: missing,
    tokenId: missing,
    requestId: missing,
    settlementId: missing,
    shareId: missing,
    address: missing,
    disputeId: missing,
    approvalId: missing,
  };
}
