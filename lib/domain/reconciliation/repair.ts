import type { ChainOrders, PlanVersion } from "../chain-ports.ts";
import type { ChainFinding, FindingKind } from "../finding-ports.ts";
import type { MintedPayment } from "../orders/order-ports.ts";
import { NO_OUTCOME } from "../orders/pay-order.ts";
import type { Ports } from "../ports.ts";
import type { AuditNote, DelegationRecord, OrderRecord } from "../records.ts";
import type { ComparisonParts } from "./compare.ts";
import type { DifferenceKind, DifferenceRecord } from "./difference-ports.ts";
import { leftOf } from "./judge.ts";
import type { PurchaseFacts } from "./processor-records.ts";

/** What is proposed for one difference. `apply` is absent where a person has to decide. */
export type Repair = {
  /** The difference, or the finding on chain. */
  id: string;
  kind: string;
  detail: string;
  proposal: string;
  /** When the payment was made, and whose plan it bought. */
  paidAt?: Date;
  seller?: string;
  /** Answers why the order can't be written, and null once it is. */
  apply?: () => Promise<string | null>;
};

/** An order that the chain proves: who paid for which version, when and in which transaction. */
export type ChainPurchase = Pick<PurchaseFacts, "account" | "planId" | "planVersion"> & {
  transaction: string;
  paidAt: Date;
};

export type RepairParts = ComparisonParts & {
  findVersion: (planId: string, version: number) => Promise<PlanVersion>;
  chain: {
    /** Events that wait for a person or a repair; with what was bought, where it is an order that the service itself sent. */
    listOpen: () => Promise<{ finding: ChainFinding; purchase: ChainPurchase | null }[]>;
    /** Counts the order's money as spent on chain. */
    writePaid: ChainOrders["writePaid"];
    /** The ledger has the credits now. */
    close: (findingId: string, note: string) => Promise<void>;
  };
};

/**
 * Lists what is open, and proposes what a ledger that was restored has forgotten: orders whose payment the processor or the
 * chain proves. What neither proves is left to a person. Applying reads the payment again, and writes the order as a purchase does.
 * The oldest payment is first, so that invoices are numbered in the order of payment again.
 *
 * @example for (const { apply } of await planRepairs(parts)) await apply?.();
 */
export async function planRepairs(parts: RepairParts): Promise<Repair[]> {
  const repairs: Repair[] = [];
  for (const difference of await parts.differences.listOpen()) {
    repairs.push(await repairOf(parts, difference));
  }
  for (const { finding, purchase } of await parts.chain.listOpen()) {
    repairs.push(await chainRepairOf(parts, finding, purchase));
  }
  const timeOf = ({ paidAt }: Repair) => paidAt?.getTime() ?? Number.MAX_SAFE_INTEGER;
  return repairs.sort((one, other) => timeOf(one) - timeOf(other));
}

async function repairOf(parts: RepairParts, difference: DifferenceRecord): Promise<Repair> {
  const { differenceId: id, kind, detail, subject, reference } = difference;
  const repair = { id, kind, detail };
  if (kind !== "payment_without_order") return { ...repair, proposal: ADVICE[kind] };
  const payment = await parts.records.findPayment(reference ?? "");
  if (!payment || leftOf(payment) === 0n) return { ...repair, proposal: "Nothing: it was repaid." };
  const { purchase, received, currency, paidAt } = payment;
  if (!purchase) {
    const proposal = `The payment does not name its plan: an earlier release made it. ${REFUND}`;
    return { ...repair, proposal };
  }
  const { createdAt } = payment;
  const wanted = { orderId: subject, scheme: parts.scheme, createdAt, chargedAt: paidAt };
  const found = await orderOf(parts, purchase, wanted);
  if ("objection" in found) return { ...repair, proposal: `${found.objection} ${REFUND}` };
  const { order, seller } = found;
  if (order.price !== received || order.currency !== currency) {
    const proposal = `It is not what version ${purchase.planVersion} of plan ${purchase.planId} costs. ${REFUND}`;
    return { ...repair, proposal };
  }
  return {
    ...repair,
    proposal: proposalOf(order),
    paidAt,
    seller,
    apply: async () => {
      const { ports } = parts;
      const rail = ports.rails.find(order.scheme);
      const outcome = await rail?.lookUp?.(order);
      if (outcome?.status !== "paid") {
        throw new Error(`The payment of order ${order.orderId} was not found again.`);
      }
      return writeOrder(ports, order, { ...outcome, isCollected: rail?.collects ?? false });
    },
  };
}

async function chainRepairOf(
  parts: RepairParts,
  { findingId, kind, detail, block }: ChainFinding,
  purchase: ChainPurchase | null,
): Promise<Repair> {
  const { ports } = parts;
  const repair = { id: findingId, kind, detail };
  const explain = `Examine it, then: npm run reconcile -- --explain ${findingId} --note "…".`;
  if (!purchase) {
    const why = FORGOTTEN.has(kind) ? "The chain does not say for what." : STOLEN;
    return { ...repair, proposal: `${why} ${explain}` };
  }
  // The chain does not know the order's id: one is derived, so that a repeat finds it.
  const orderId = ports.crypto.digest(`forgotten order ${findingId}`).slice(0, 32);
  const facts = { delegationId: null, agentId: null, idempotencyKey: null, fingerprint: "" };
  const { transaction, paidAt } = purchase;
  const wanted = { orderId, createdAt: paidAt, chargedAt: paidAt };
  const found = await orderOf(parts, { ...purchase, ...facts }, wanted);
  if ("objection" in found) return { ...repair, proposal: `${found.objection} ${explain}` };
  const { order, seller } = found;
  return {
    ...repair,
    proposal: proposalOf(order),
    paidAt,
    seller,
    apply: async () => {
      const payment = { reference: transaction, isCollected: false };
      const refusal = await writeOrder(ports, order, payment);
      if (refusal !== null) return refusal;
      await parts.chain.writePaid({ orderId, total: order.price, block });
      await parts.chain.close(findingId, `Order ${orderId} was written again.`);
      return null;
    },
  };
}

/** The order as it was, or why it cannot be written. */
async function orderOf(
  { ports, findVersion }: RepairParts,
  purchase: PurchaseFacts,
  of: Pick<OrderRecord, "orderId" | "createdAt" | "chargedAt"> & Partial<OrderRecord>,
): Promise<{ order: OrderRecord; seller: string } | { objection: string }> {
  const { account, planId, planVersion, fingerprint, idempotencyKey, agentId } = purchase;
  if (!(await ports.accounts.find(account))) {
    return { objection: `The ledger does not have the account ${account}.` };
  }
  const version = await findVersion(planId, planVersion).catch(() => null);
  if (!version) {
    return { objection: `The ledger does not have version ${planVersion} of plan ${planId}.` };
  }
  const rail = ports.rails.getByPrice(version.price);
  const { total, unit, cents, currency } = rail.quote(version.price);
  const delegation = await findLive(ports, purchase.delegationId, of.createdAt);
  const order: OrderRecord = {
    ...NO_OUTCOME,
    ...of,
    scheme: of.scheme ?? rail.scheme,
    account,
    planId,
    planVersion,
    isTrial: version.isTrial,
    status: "reserved",
    price: total,
    currency: unit,
    reservedCents: delegation ? cents : 0n,
    reservedAmount: 0n,
    endsDelegation: false,
    cents: currency === null ? null : cents,
    delegationId: delegation?.delegationId ?? null,
    jti: null,
    agentId,
    paymentMethodId: null,
    idempotencyKey,
    fingerprint,
    attempt: 1,
    updatedAt: of.createdAt,
  };
  return { order, seller: version.owner };
}

/** The delegation it was bought under counts it, while there is anything to count. */
async function findLive(
  { delegations }: Ports,
  delegationId: string | null,
  at: Date,
): Promise<DelegationRecord | null> {
  const found = delegationId ? await delegations.find(delegationId) : null;
  return found && !found.revokedAt && found.expiresAt > at ? found : null;
}

/** Writes a paid order and grants its credits, once; or says why not. */
async function writeOrder(
  ports: Ports,
  order: OrderRecord,
  payment: MintedPayment,
): Promise<string | null> {
  const { orderId, account } = order;
  const known = await ports.orders.find(orderId);
  if (known && isPaid(known)) return null;
  // An earlier release's repair was killed before it granted the credits.
  const isUnfinished = known?.status === "requires_action";
  if (known && !isUnfinished) return `Order ${orderId} is ${known.status}. ${REFUND}`;
  const action = "order.repair";
  const note: AuditNote = { account, keyId: null, action, subject: orderId, requestId: "repair" };
  const reservation = await ports.orders.restore(order, payment, note);
  if (reservation.outcome === "reserved") return null;
  if (reservation.outcome === "existing") {
    const { orderId: other } = reservation.order;
    return `Order ${other} was placed with the same Idempotency-Key since. ${REFUND}`;
  }
  const why = "limit" in reservation ? reservation.limit : reservation.outcome;
  return `Order ${orderId} does not fit (${why}). ${REFUND}`;
}

const isPaid = ({ status }: OrderRecord) => status === "minted" || status === "refunded";

const proposalOf = ({ orderId, account, planId, planVersion }: OrderRecord): string =>
  `Write order ${orderId} of version ${planVersion} of plan ${planId} for ${account}, and grant its credits.`;

const FORGOTTEN: ReadonlySet<FindingKind> = new Set(["forgotten_order", "forgotten_burn"]);
const STOLEN =
  "If none of you did this, a key is stolen: have the administrator revoke its roles, and change it.";
const REFUND = "Refund the payment at the processor, or credit the subscriber by hand.";
const EXPLAIN = 'then explain the difference: npm run reconcile -- --explain ID --note "…".';

/** What a person does about a difference that nothing outside proves a repair of. */
const ADVICE: Record<DifferenceKind, string> = {
  payment_without_order: REFUND,
  order_without_payment: `Find out who wrote the order; take its credits back or collect its price, ${EXPLAIN}`,
  paid_twice: "Refund the second payment at the processor.",
  amount_differs: `Refund or collect the rest at the processor, ${EXPLAIN}`,
  currency_differs: `Find out who changed the order or the payment, ${EXPLAIN}`,
  paid_but_open: "Nothing: the order is read again every ten seconds.",
  paid_but_declined: "Nothing: the payment is refunded within minutes.",
  refund_unknown: `The order has too little left for it. Settle the rest with the builder, ${EXPLAIN}`,
  refund_not_sent: `Send the refund at the processor with its refund_id as metadata, ${EXPLAIN}`,
  dispute_unknown: "Nothing: the dispute is read again every ten seconds.",
  dispute_ended: "Nothing: the dispute is read again every ten seconds.",
  payout_unknown: `If none of you made it, the processor's key is stolen: change it. Reverse the transfer, ${EXPLAIN}`,
  payout_differs: `Reverse or complete the transfer at the processor, ${EXPLAIN}`,
  payout_not_sent: `Send the transfer at the processor with the payout's id as transfer group, ${EXPLAIN}`,
  payout_sent_twice: `Reverse this transfer at the processor. If its money is out of reach, settle it with the builder, ${EXPLAIN}`,
  rule_broken: `Find out what wrote the rows, correct them with reversing rows, ${EXPLAIN}`,
  rule_late: "See the log for why the work is late; it is retried until it is done.",
};
