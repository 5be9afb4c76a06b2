import {
  type Examples,
  getCryptoPriceConfig,
  getExpirableDurationConfig,
  getFiatPriceConfig,
  getFixedCreditsConfig,
  getFreePriceConfig,
  ZERO_ADDRESS,
} from "@turnpike/payments/protocol";
import { signTypedData } from "viem/accounts";
import { sampleRun } from "@/lib/console/shared-run.ts";
import { confirmationSecret } from "@/lib/domain/alerts/mail-text.ts";
import { askApproval } from "@/lib/domain/budgets/ask-approval.ts";
import { auditNote } from "@/lib/domain/context.ts";
import { newDelegation } from "@/lib/domain/delegations/delegations.ts";
import { eventId } from "@/lib/domain/events/events.ts";
import { freshId, requirementOf } from "./operation-samples.ts";
import { createMarket, type TestMarket, type TestParty, type TestService } from "./test-service.ts";

/** Everything the samples name, and spare objects for those that change or revoke what they name. */
export type SampleWorld = TestMarket & Examples;

const RECEIVER = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

/** A market, and beside it one of each thing that samples revoke, change or read. */
export async function createSampleWorld(service: TestService): Promise<SampleWorld> {
  const market = await createMarket(service, { credits: getFixedCreditsConfig(1_000_000n, 1n) });
  const { builder, planId, agentId } = market;
  const mint = (party: TestParty) => party.payments.x402.getX402AccessToken(planId, agentId);
  const { planId: sparePlan } = await builder.payments.plans.registerCreditsPlan(
    { name: "Spare" },
    getFreePriceConfig(),
    getFixedCreditsConfig(10n),
  );
  const { planId: cardPlan } = await builder.payments.plans.registerCreditsPlan(
    { name: "By card" },
    getFiatPriceConfig(5_000_000n, RECEIVER),
    getFixedCreditsConfig(10n),
  );
  const { agentId: spareAgent } = await builder.payments.agents.registerAgent(
    { name: "Spare" },
    {},
  );
  // One party plays every part in the samples: it sells, and it buys from itself.
  const own = await mint(builder);
  const { delegationId } = await mint(builder);
  const { orderId } = await builder.payments.plans.orderPlan(planId);
  const key = await service.call(builder, "POST", "/api-keys", { name: "spare" });
  const { keyId } = (await key.json()) as { keyId: string };
  const share = () => builder.runs.shareRun(JSON.stringify(sampleRun));
  const [{ shareId }, { shareId: shareToEndId }] = [await share(), await share()];
  const settledId = `sample-settled-${freshId()}`;
  const settlement = await builder.payments.facilitator.settlePermissions({
    paymentRequired: requirementOf(market),
    x402AccessToken: market.token,
    agentRequestId: settledId,
  });
  const [heldId, heldToSettleId, heldToGiveUpId] = await Promise.all(
    [1, 2, 3].map(async () => {
      const agentRequestId = `sample-held-${freshId()}`;
      await builder.payments.facilitator.verifyPermissions({
        paymentRequired: requirementOf(market),
        x402AccessToken: market.token,
        reserve: true,
        agentRequestId,
      });
      return agentRequestId;
    }),
  );
  const sales = await createSales(service, builder, cardPlan);
  await createPaidOut(builder, cardPlan);
  return {
    ...market,
    freshId,
    now: new Date().toISOString(),
    spare: {
      shareId,
      shareToEndId,
      planId: sparePlan,
      cardPlanId: cardPlan,
      agentId: spareAgent,
      tokenId: own.tokenId,
      delegationId,
      keyId,
      orderId,
      settledId,
      settlementId: settlement.success ? settlement.extra.settlementId : "",
      heldId: heldId ?? "",
      heldToSettleId: heldToSettleId ?? "",
      heldToGiveUpId: heldToGiveUpId ?? "",
      ...sales,
      chainRefundId: await createChainRefund(service, builder),
      ...(await createApprovals(builder, planId)),
      ...(await createRenewable(builder)),
      ...(await createUnsigned(builder)),
      ...(await createUnused(builder)),
      ...(await createEndpoints(service, builder)),
      ...(await createAlertSpares(builder)),
    },
  };
}

/** A payout of a card sale, under the key of the sample. */
async function createPaidOut({ payments, address }: TestParty, cardPlanId: string): Promise<void> {
  await payments.plans.orderPlan(cardPlanId, { providerPaymentMethodId: `pm_${address}` });
  await payments.money.createPayoutAccount({});
  await payments.money.createPayout({ currency: "usd", idempotencyKey: "sample-payout" });
}

/** Card orders by the builder of their own plan, with requests to refund them and a dispute. */
async function createSales({ ports }: TestService, { payments }: TestParty, planId: string) {
  const order = async () => (await payments.plans.orderPlan(planId)).orderId;
  const ask = async (orderId: string) =>
    (await payments.money.requestRefund({ orderId, amount: "10000", reason: "Sample" })).refundId;
  const [soldOrderId, cardOrderId, disputedId] = [await order(), await order(), await order()];
  const disputed = await ports.orders.find(disputedId);
  if (!disputed) throw new Error(`Order ${disputedId} is gone.`);
  const disputeId = `dp_${freshId()}`;
  await ports.disputes.write(disputed, {
    disputeId,
    amount: disputed.price,
    reason: "fraudulent",
    status: "needs_response",
    respondBy: null,
  });
  return {
    soldOrderId,
    cardOrderId,
    disputeId,
    refundId: await ask(soldOrderId),
    refundToDeclineId: await ask(disputedId),
  };
}

/** A refund of an order on chain that waits for the builder. */
async function createChainRefund({ ports }: TestService, { payments, address }: TestParty) {
  const [token = RECEIVER] = ports.stableTokens.keys();
  const { planId } = await payments.plans.registerCreditsPlan(
    { name: "On chain" },
    getCryptoPriceConfig(1_000_000n, address, token),
    getFixedCreditsConfig(10n),
  );
  const { orderId } = await payments.plans.orderPlan(planId);
  const asked = { orderId, amount: "10000", reason: "Sample" };
  return (await payments.money.requestRefund(asked)).refundId;
}

/** Two orders of the builder's that wait for a person. */
export async function createApprovals({ context: { ports }, address }: TestParty, planId: string) {
  const ask = async (subject: string) => {
    const request = { account: address, jti: "key:sample", delegationId: null, subject, planId };
    const costs = { maxCents: 6400n, currency: "usd", maxCredits: 0n };
    const asks = { builder: address, agentId: null, reason: "amount" } as const;
    const asked = await askApproval(ports, { ...request, ...costs, ...asks });
    return asked?.approvalId ?? "";
  };
  return {
    approvalId: await ask(`ORDER /${freshId()}`),
    approvalToDeclineId: await ask(`ORDER /${freshId()}`),
  };
}

/** Endpoints of the builder, and the id of one of their events. */
async function createEndpoints({ ports }: TestService, { payments, address }: TestParty) {
  const add = async () =>
    (await payments.webhooks.createWebhookEndpoint({ url: "https://builder.example/hooks" }))
      .endpointId;
  while ((await ports.events.sequence()) > 0);
  const [event] = await ports.events.list(address, 0, 1);
  return {
    endpointId: await add(),
    endpointToDeleteId: await add(),
    deliveryId: event ? eventId(event) : "",
  };
}

/** Two alert rules, and the secret of the link that confirms an address. */
export async function createAlertSpares({
  context: { ports },
  payments: { alerts },
  email,
  address: account,
}: TestParty) {
  const rule = (threshold: number) => alerts.createAlertRule({ kind: "key-expiring", threshold });
  const [shown, toDelete] = [await rule(30), await rule(40)];
  if ((await email.getEmailAddress()).unconfirmed === undefined) {
    await email.setEmailAddress({ address: `${freshId()}@mail.example` });
  }
  const mails = await ports.mails.lease(100, 0);
  const link = mails.findLast((mail) => mail.account === account && mail.kind === "confirmation");
  return {
    alertRuleId: shown.ruleId,
    alertRuleToDeleteId: toDelete.ruleId,
    emailSecret: confirmationSecret(ports.crypto, link?.ref ?? ""),
  };
}

/** A time plan that the builder sells and has ordered, and a delegation for its renewal. */
async function createRenewable(builder: TestParty) {
  const { payments, address } = builder;
  const { planId: timePlanId } = await payments.plans.registerTimePlan(
    { name: "A month" },
    getFiatPriceConfig(5_000_000n, address, "USD"),
    getExpirableDurationConfig(30n * 86_400n),
  );
  await payments.plans.orderPlan(timePlanId, { providerPaymentMethodId: `pm_${address}` });
  const renewingDelegationId = await createCardDelegation(builder);
  const input = { planId: timePlanId, isOn: true, delegationId: renewingDelegationId };
  await payments.money.setRenewal(input);
  return { timePlanId, renewingDelegationId };
}

export async function createCardDelegation({ payments }: TestParty): Promise<string> {
  const { delegationId } = await payments.delegation.createDelegation({
    provider: "card-processor",
    spendingLimitCents: 5_000n,
    durationSecs: 90 * 86_400,
    currency: "usd",
  });
  return delegationId;
}

export async function createUnused({ payments }: TestParty) {
  const { agentId, planId } = await payments.agents.registerAgentAndPlan(
    { name: "Unused" },
    {},
    { name: "Unused" },
    getFreePriceConfig(),
    getFixedCreditsConfig(10n),
  );
  return { endingPlanId: planId, endingAgentId: agentId };
}

/** Two delegations that wait for their owner's signature, and that of the second. */
export async function createUnsigned(builder: TestParty) {
  const [shown, signed] = [await insertUnsigned(builder), await insertUnsigned(builder)];
  return {
    unsignedGrantId: shown.delegationId,
    unsignedId: signed.delegationId,
    grantSignature: signed.signature,
  };
}

async function insertUnsigned({ context, ownerKey }: TestParty) {
  const { ports } = context;
  const made = await newDelegation(context, {
    provider: "erc4337",
    spendingLimitCents: 1000n,
    durationSecs: 3600,
    currency: "usd",
    orderLimit: null,
    maxTransactions: null,
    paymentMethodId: null,
    planIds: [],
  });
  const delegation = { ...made, grantToken: ZERO_ADDRESS, signBefore: made.expiresAt };
  const { delegationId } = delegation;
  await ports.delegations.insert(delegation, auditNote(context, "test", delegationId));
  const grant = await ports.ownerGrants?.describe(delegation);
  const signature = await signTypedData({
    privateKey: ownerKey,
    ...(grant?.typedData as unknown as Omit<Parameters<typeof signTypedData>[0], "privateKey">),
  });
  return { delegationId, signature };
}
