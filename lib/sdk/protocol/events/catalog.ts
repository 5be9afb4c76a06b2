import * as z from "zod/mini";
import { Decimal } from "../primitives.ts";

type Shape = Record<string, z.ZodMiniType>;
/** What one type of event says in its `data`. Members are added and never changed: a change of meaning is a new type. */
type Entry = { summary: string; data: z.ZodMiniType; example: Record<string, string | number> };

const Text = z.string();
const maybe = <T extends z.ZodMiniType>(member: T) => z.optional(member);

/** Types that say the same: one schema, one example. */
function entries<const Type extends string, const S extends Shape>(
  shape: S,
  example: Record<string, string | number>,
  summaries: Record<Type, string>,
) {
  // Loose: a consumer must read the members that a later release adds.
  const data = z.looseObject(shape);
  return Object.fromEntries(
    Object.entries<string>(summaries).map(([type, summary]) => [type, { summary, data, example }]),
  ) as Record<Type, Entry & { data: typeof data }>;
}

const ID = "0f8fad5b-d9cb-469f-a165-70867728950e";
const ADDRESS = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const AT = "2026-01-31T12:00:00.000Z";
const planId = "42";
const agentId = "7";
const price = { amount: "10000000", currency: "usd" };
const request = { agentRequestId: "req_0123456789abcdef", builder: ADDRESS, planId, agentId };

const Money = { amount: Decimal, currency: Text };
const Failure = { failureCode: maybe(Text) };
const Request = { agentRequestId: Text, builder: Text, planId: maybe(Text), agentId: maybe(Text) };

/**
 * Every type of event, with a schema and an example of its `data`. `approval.` and `budget.` are reserved.
 *
 * @example EVENT_CATALOG["request.settled"].data.parse(event.data)
 */
export const EVENT_CATALOG = {
  ...entries(
    { planId: Text, name: Text, state: Text, version: z.int() },
    { planId, name: "Starter", state: "listed", version: 1 },
    {
      "plan.created": "You registered a plan.",
      "plan.updated": "You changed a plan; a new price or new credits raise `version`.",
      "plan.archived": "You archived a plan: it can no longer be ordered.",
      "plan.restored": "You restored an archived plan.",
      "plan.deleted": "You deleted a plan that was never used.",
    },
  ),
  ...entries(
    { agentId: Text, name: Text },
    { agentId, name: "Reader" },
    {
      "agent.created": "You registered an agent.",
      "agent.updated": "You changed an agent.",
      "agent.archived": "You archived an agent.",
      "agent.restored": "You restored an archived agent.",
      "agent.deleted": "You deleted an agent that was never used.",
    },
  ),
  ...entries(
    { orderId: Text, planId: Text, subscriber: Text, ...Money, ...Failure },
    { orderId: ID, planId, subscriber: ADDRESS, ...price },
    {
      "order.created": "You ordered a plan. Its payment has not been confirmed.",
      "order.requires_action": "Your payment needs an action from you, such as 3-D Secure.",
      "order.declined": "Your payment was declined; `failureCode` says why.",
      "order.completed": "An order was paid, and its credits were granted.",
      "order.refunded": "An order's whole price was refunded or charged back.",
      "order.reinstated": "A refund or chargeback of an order was reversed.",
    },
  ),
  ...entries(
    { planId: Text, subscriber: Text, credits: Decimal, cause: maybe(Text) },
    { planId, subscriber: ADDRESS, credits: "100", cause: ID },
    {
      "credits.granted": "An order granted credits; `cause` is the order.",
      "credits.expired": "Unused credits expired.",
      "credits.removed":
        "A refund or chargeback removed credits; `cause` is the refund or the order.",
      "credits.returned": "Credits came back; `cause` is the refund or the order.",
    },
  ),
  ...entries(
    { tokenId: Text, planId: Text, agentId: maybe(Text), delegationId: Text, expiresAt: Text },
    { tokenId: ID, planId, agentId, delegationId: ID, expiresAt: AT },
    { "token.created": "You minted an access token.", "token.revoked": "A token was revoked." },
  ),
  ...entries(
    {
      delegationId: Text,
      provider: Text,
      currency: Text,
      spendingLimitCents: Decimal,
      expiresAt: Text,
    },
    {
      delegationId: ID,
      provider: "stripe",
      currency: "usd",
      spendingLimitCents: "1000",
      expiresAt: AT,
    },
    {
      "delegation.created": "You created a delegation.",
      "delegation.signed": "The owner's wallet signed a delegation: it can be used.",
      "delegation.revoked": "A delegation was revoked, with every token under it.",
    },
  ),
  ...entries(
    {
      ...Request,
      planId: Text,
      subscriber: Text,
      credits: Decimal,
      remaining: Decimal,
      settlementId: Text,
      tokenId: Text,
      delegationId: maybe(Text),
    },
    {
      ...request,
      subscriber: ADDRESS,
      credits: "1",
      remaining: "99",
      settlementId: ID,
      tokenId: ID,
      delegationId: ID,
    },
    {
      "request.settled":
        "A call was charged. `remaining` are the subscriber's credits after it; `delegationId` is for the subscriber.",
    },
  ),
  ...entries(
    { ...Request, subscriber: maybe(Text), reason: maybe(Text) },
    { ...request, subscriber: ADDRESS, reason: "insufficient_credits" },
    {
      "request.unsettled": "A gate delivered a response whose payment is not confirmed.",
      "request.declined":
        "A call whose payer is known was declined; `reason` is the gate's; payers get it only if it is one of the protocol's.",
    },
  ),
  ...entries(
    {
      refundId: Text,
      orderId: maybe(Text),
      agentRequestId: maybe(Text),
      planId: Text,
      subscriber: Text,
      ...Money,
      madeBy: Text,
      ...Failure,
    },
    { refundId: ID, orderId: ID, planId, subscriber: ADDRESS, ...price, madeBy: "builder" },
    {
      "refund.requested":
        "A subscriber asked for a refund, or the refund that ended their request failed.",
      "refund.declined":
        "The builder declined a refund request, or it ended; `failureCode` is then `expired` or `refunded`.",
      "refund.opened": "A refund began: the credits were removed, and the money is on its way.",
      "refund.paid": "The money or credits of a refund arrived.",
      "refund.failed": "A refund failed, and its credits came back; `failureCode` says why.",
    },
  ),
  ...entries(
    {
      disputeId: Text,
      orderId: Text,
      amount: Decimal,
      // Earlier events do not have it.
      currency: maybe(Text),
      reason: Text,
      respondBy: maybe(Text),
    },
    { disputeId: "dp_1", orderId: ID, ...price, reason: "fraudulent", respondBy: AT },
    {
      "dispute.opened": "A subscriber's bank opened a dispute. Respond by `respondBy`.",
      "dispute.under_review": "The bank reviews your evidence.",
      "dispute.won": "You won a dispute.",
      "dispute.lost": "You lost a dispute.",
    },
  ),
  ...entries(
    { payoutId: Text, ...Money, ...Failure },
    { payoutId: ID, ...price },
    {
      "payout.created": "A payout of your card sales began.",
      "payout.sent": "A payout is on its way to your bank.",
      "payout.paid": "A payout arrived at your bank.",
      "payout.failed": "A payout failed, and its money is owed to you again.",
    },
  ),
  ...entries(
    {
      withdrawalId: Text,
      to: Text,
      token: Text,
      amount: Decimal,
      txHash: maybe(Text),
      ...Failure,
    },
    { withdrawalId: ID, to: ADDRESS, token: ADDRESS, amount: "5000000" },
    {
      "withdrawal.created": "You began a withdrawal.",
      "withdrawal.paid": "A withdrawal was paid; `txHash` is its transaction.",
      "withdrawal.failed": "A withdrawal was refused; `failureCode` says why.",
    },
  ),
  ...entries(
    { txHash: Text, from: maybe(Text), token: Text, amount: Decimal, orderId: maybe(Text) },
    {
      txHash: `0x${"ab".repeat(32)}`,
      from: ADDRESS,
      token: ADDRESS,
      amount: "5000000",
      orderId: ID,
    },
    {
      "deposit.received":
        "Stablecoin arrived at your address: a deposit, a sale, a refund or test funds. `orderId` is the order of a sale or refund, unless the transfer was read before the payment was confirmed.",
    },
  ),
  ...entries(
    { card: Text },
    { card: "visa 4242" },
    { "card.added": "You saved a card.", "card.removed": "You removed a card." },
  ),
  ...entries(
    { keyId: Text, name: Text, preset: Text, expiresAt: Text },
    { keyId: ID, name: "Gate", preset: "gate", expiresAt: AT },
    { "key.created": "You created an API key.", "key.revoked": "An API key was revoked." },
  ),
  ...entries(
    // Events of earlier releases have the URL.
    { endpointId: Text, url: maybe(Text), reason: maybe(Text) },
    { endpointId: ID, reason: "It returned 410 Gone." },
    {
      "webhook_endpoint.test": "You sent a test event to an endpoint.",
      "webhook_endpoint.disabled": "The service stopped sending to an endpoint; `reason` says why.",
    },
  ),
  ...entries(
    {
      alertId: Text,
      ruleId: Text,
      kind: Text,
      object: maybe(Text),
      name: Text,
      value: Text,
      threshold: z.int(),
    },
    {
      alertId: ID,
      ruleId: ID,
      kind: "credits-below",
      object: planId,
      name: "Starter",
      value: "19",
      threshold: 20,
    },
    {
      "alert.opened": "An alert rule was crossed; `value` is what was measured.",
      "alert.closed": "The condition of an alert cleared.",
    },
  ),
  ...entries(
    { lastSequence: z.int(), lastHash: Text },
    { lastSequence: 48217, lastHash: `0x${"1f".repeat(32)}` },
    {
      "history.restored":
        "The service's database was restored or failed over. If your event `lastSequence` has another hash, or you have later events, discard those and read again from there.",
    },
  ),
} satisfies Record<string, Entry>;
