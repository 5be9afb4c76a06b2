import {
  type ChainStatus,
  isFree,
  type ParsedInputOf,
  PaymentsError,
  type Settlement,
} from "@turnpike/payments/protocol";
import type { Context } from "../context.ts";
import type { SettleOutcome } from "../ledger-rows.ts";
import { mirroringOf } from "../rails/rail.ts";
import { checkPermission, type Permission, type Refusal } from "./check-permission.ts";
import { takeCachedFacts } from "./facts-cache.ts";
import type { PermissionFacts, ReadFacts } from "./permission-facts.ts";
import {
  networkOfOffer,
  type PermissionRequest,
  readPermissionRequest,
} from "./permission-request.ts";
import { readFacts } from "./read-facts.ts";
import { orderForRequest } from "./top-up-order.ts";
import { MAX_WAITS, REASON_TEXT } from "./verify-permissions.ts";

const MAX_ATTEMPTS = 6;

/** The fingerprint of a request that was settled by the record of its hold, without its body. */
export const SETTLED_BY_RECORD = "by-record";

/**
 * Burns the credits of a delivered request (§4.1), exactly once per builder and request id: the same body gets the
 * same answer, another body `idempotency_conflict`. Posts the request's hold when it has one, else decides afresh,
 * ordering the plan first when credits are insufficient and the token allows it.
 */
export async function settlePermissions(
  context: Context,
  input: ParsedInputOf<"settlePermissions">,
): Promise<Settlement> {
  const { ports } = context;
  const request = readPermissionRequest(input);
  const agentRequestId = request.agentRequestId ?? ports.crypto.randomId();
  const fingerprint = ports.crypto.digest(request.fingerprintText);
  let orderTx: string | null = null;
  for (let attempt = 1, waits = 0; attempt <= MAX_ATTEMPTS && waits <= MAX_WAITS; ) {
    const cached = takeCachedFacts(context, request, agentRequestId);
    const { inspected, facts } = cached
      ? { inspected: ports.inspectToken(request.token), facts: cached }
      : await readFacts(context, request, agentRequestId);
    if (facts.settlement) {
      // Settled from its hold, without a token: the token of that hold is the same request.
      const isItsToken = inspected.isSound && inspected.jti === facts.hold?.jti;
      const isSame = facts.settlement.fingerprint === SETTLED_BY_RECORD && isItsToken;
      const same = isSame ? SETTLED_BY_RECORD : fingerprint;
      return replay(context, facts, same, agentRequestId);
    }
    if (facts.hold?.state === "released") throw wasReleased(agentRequestId);
    const permission = checkPermission({ ports, request, inspected, facts, asRedeemer: true });
    if (!permission.isAllowed) return refused(permission, facts, agentRequestId, request);
    const fromHold = usesHold(facts, permission);
    if (permission.needsOrder && !fromHold) {
      const builder = facts.caller.account;
      const order = await orderForRequest(context, permission, { builder, agentRequestId });
      if (order.outcome === "refused") {
        return refused(orderRefused(permission, order.code), facts, agentRequestId, request);
      }
      if (order.outcome === "again") {
        waits += 1;
      } else {
        attempt += 1;
        orderTx = order.reference;
      }
      continue;
    }
    const settlementId = ports.crypto.randomId();
    const outcome = await ports.ledger.settle({
      builder: facts.caller.account,
      agentRequestId,
      settlementId,
      fingerprint,
      account: permission.payer,
      planId: permission.planId,
      agentId: permission.agentId,
      jti: permission.jti,
      delegationId: permission.delegationId,
      amount: permission.amount,
      scheme: permission.rail.scheme,
      network: networkOfOffer(permission.offer, permission.rail.network),
      fromHold,
      orderTx,
      transaction: permission.rail.receiptId(settlementId),
      ...mirroring(permission, facts),
    });
    // Something changed since the facts were cached: read them again.
    if (cached && outcome.outcome !== "settled") continue;
    const answer = await answerOf(
      outcome,
      permission,
      facts,
      agentRequestId,
      request,
      orderTx,
      context,
    );
    if (answer !== "again") return answer;
    // Under contention a request may lose many times in a row; keep waiting.
    if (outcome.outcome === "insufficient") waits += 1;
    else attempt += 1;
  }
  const message = "The balance keeps changing. Retry with the same request id.";
  throw new PaymentsError("unavailable", message, { retryAfterSecs: 1 });
}

/** Whether the request's own hold pays; settle never takes more than it. */
function usesHold({ hold }: PermissionFacts, permission: Permission): boolean {
  return hold?.isUsable === true && hold.jti === permission.jti;
}

const mirroring = ({ rail, amount }: Permission, { plan }: PermissionFacts) =>
  mirroringOf(rail, { amount, isPaid: plan !== null && !isFree(plan.price) });

async function answerOf(
  outcome: SettleOutcome,
  permission: Permission,
  facts: ReadFacts,
  agentRequestId: string,
  request: PermissionRequest,
  orderTx: string | null,
  context: Context,
): Promise<Settlement | "again"> {
  switch (outcome.outcome) {
    case "settled":
      return succeededOutside(context, facts, {
        agentRequestId,
        orderTx,
        payer: permission.payer,
        planId: permission.planId,
        network: networkOfOffer(permission.offer, permission.rail.network),
        amount: permission.amount,
        remaining: outcome.remaining,
        settlementId: outcome.settlementId,
        transaction: permission.rail.receiptId(outcome.settlementId),
        chainStatus: mirroring(permission, facts).chainStatus,
      });
    case "conflict":
      throw conflict(agentRequestId);
    case "limit":
      return refused(
        { ...INSUFFICIENT, detail: "redemption_limit", payer: permission.payer },
        facts,
        agentRequestId,
        request,
      );
    // A repeat lost the race, or rows changed since they were read: read again.
    default:
      return "again";
  }
}

const INSUFFICIENT = { isAllowed: false, reason: "insufficient_balance" } as const;

const orderRefused = ({ payer }: Permission, code: string): Refusal => ({
  ...INSUFFICIENT,
  detail: `order_${code}`,
  payer,
});

async function replay(
  context: Context,
  facts: PermissionFacts,
  fingerprint: string,
  agentRequestId: string,
): Promise<Settlement> {
  const settlement = facts.settlement as NonNullable<PermissionFacts["settlement"]>;
  if (settlement.fingerprint !== fingerprint) throw conflict(agentRequestId);
  return succeededOutside(context, facts, {
    agentRequestId,
    payer: settlement.account,
    planId: settlement.planId,
    network: settlement.network,
    amount: settlement.amount,
    remaining: settlement.remaining,
    settlementId: settlement.settlementId,
    orderTx: settlement.orderTx,
    transaction: settlement.transaction,
    chainStatus: settlement.chainStatus,
  });
}

const wasReleased = (agentRequestId: string) =>
  new PaymentsError(
    "conflict",
    `The request ${JSON.stringify(agentRequestId)} was released as not delivered and is not charged.`,
  );

const conflict = (agentRequestId: string) =>
  new PaymentsError(
    "idempotency_conflict",
    `The request id ${JSON.stringify(agentRequestId)} was settled with another body.`,
  );

type Settled = {
  agentRequestId: string;
  payer: string;
  planId: string;
  network: string;
  amount: bigint;
  remaining: bigint;
  settlementId: string;
  orderTx: string | null;
  transaction: string;
  chainStatus: ChainStatus;
};

/**
 * The answer with how far the settlement came outside: where the plan asks for proof, once it is included; else with
 * the transaction it was submitted in, if that is known quickly. The credits are burned either way.
 */
async function succeededOutside(
  { ports }: Context,
  { plan }: PermissionFacts,
  settled: Settled,
): Promise<Settlement> {
  const until = plan?.proofRequired ? "included" : "submitted";
  const isShort =
    settled.chainStatus === "pending" ||
    (settled.chainStatus === "submitted" && until === "included");
  if (!plan || !isShort) return succeeded(settled);
  const state = await ports.rails.getByPrice(plan.price).mirror?.(settled.settlementId, until);
  return succeeded({ ...settled, ...state });
}

/** Settle's answer once the credits are burned. */
export function succeeded(settled: Settled): Settlement {
  const { agentRequestId, settlementId, transaction, chainStatus, orderTx } = settled;
  const creditsRedeemed = settled.amount.toString();
  const remainingBalance = settled.remaining.toString();
  return {
    success: true,
    payer: settled.payer,
    transaction,
    network: settled.network,
    creditsRedeemed,
    remainingBalance,
    agentRequestId,
    planId: settled.planId,
    ...(orderTx && { orderTx }),
    txHash: transaction,
    amount: creditsRedeemed,
    extra: { creditsRedeemed, remainingBalance, agentRequestId, settlementId, chainStatus },
  };
}

function refused(
  { reason, detail, payer }: Refusal,
  facts: ReadFacts,
  agentRequestId: string,
  { requirement }: PermissionRequest,
): Settlement {
  const isOwner = facts.plan !== null && facts.plan.owner === facts.caller.account;
  return {
    success: false,
    errorReason: reason,
    errorMessage: REASON_TEXT[reason],
    ...(isOwner && { detail }),
    ...(isOwner && payer && { payer }),
    transaction: "",
    network: requirement.accepts[0]?.network ?? "",
    agentRequestId,
    error: reason,
  };
}
