import {
  EXACT,
  PaymentsError,
  readNetwork,
  type Settlement,
  type Verification,
} from "@turnpike/payments/protocol";
import type { Context } from "../context.ts";
import type { Cause } from "../permissions/causes.ts";
import { LEASE_SECS } from "../permissions/lease.ts";
import type { PermissionRequest } from "../permissions/permission-request.ts";
import { settlementOf } from "../permissions/settlement.ts";
import type { ExactFault } from "./exact-ports.ts";
import type { ExactRequest } from "./read-exact.ts";
import {
  CAUSE_OF_FAULT,
  exactOf,
  readExactFacts,
  refusalOf,
  refusedSettlement,
} from "./refusals.ts";

/**
 * What a stock x402 server asks a facilitator: whether the authorization is what its own offer asks for, to any recipient. It
 * pays for nothing of ours, so no plan, no credits and no ledger are involved.
 */
export async function verifyTransfer(
  context: Context,
  request: PermissionRequest,
  exact: ExactRequest,
): Promise<Verification> {
  await readExactFacts(context, request, exact);
  const { payer } = exact.payment;
  const checked = await findCause(context, exact);
  if (checked.cause) return { isValid: false, ...refusalOf(checked.cause, payer) };
  return {
    isValid: true,
    payer,
    agentRequestId: request.agentRequestId,
    scheme: EXACT,
    network: exactOf(context).network,
    planId: "",
    credits: "0",
    balance: "0",
    subscriberAddress: payer,
  };
}

/** Captures the authorization, once, however often it is asked for; a repeat gets the same transaction. */
export async function settleTransfer(
  context: Context,
  request: PermissionRequest,
  exact: ExactRequest,
): Promise<Settlement> {
  const { ports } = context;
  const { payment } = exact;
  const { payer } = payment;
  const { network } = exactOf(context);
  const refuse = (cause: Cause) => refusedSettlement(cause, { payer, network, ...request });
  const { caller } = await readExactFacts(context, request, exact);
  const isKnown = (await ports.authorizations.find(payment.id))?.builder === caller.account;
  if (!isKnown) {
    const { cause, balance, block } = await findCause(context, exact);
    if (cause) return refuse(cause);
    const none = { planId: null, planVersion: null };
    const accepted = { ...payment, builder: caller.account, ...none, sinceBlock: block };
    const isOpen = await ports.authorizations.open(accepted, { balance, leaseSecs: LEASE_SECS });
    if (!isOpen) return refuse("wallet_funds");
  }
  const accepted = await ports.authorizations.find(payment.id);
  if (!accepted || accepted.planId !== null) return refuse("authorization_used");
  const captured = await exactOf(context)
    .capture(accepted)
    .catch((cause) => {
      ports.log.warn({ id: payment.id, cause: String(cause) }, "capture outcome unknown");
      throw new PaymentsError("outcome_unknown", "The capture's outcome is not known yet.", {
        retryAfterSecs: 2,
      });
    });
  if (captured.status === "refused") {
    await ports.authorizations.close(payment.id, "refused", null);
    return refuse(CAUSE_OF_FAULT[captured.code as ExactFault] ?? "capture_failed");
  }
  const { reference: transaction } = captured;
  await ports.authorizations.close(payment.id, "captured", transaction);
  const settled = settlementOf({
    agentRequestId: request.agentRequestId,
    payer,
    planId: "",
    network,
    amount: 0n,
    remaining: 0n,
    settlementId: payment.id,
    orderTx: null,
    transaction,
    chainStatus: "included",
  });
  return settled.success ? { ...settled, amount: payment.value.toString() } : settled;
}

/** Why the authorization does not pay the caller's offer, or null. */
async function findCause(
  context: Context,
  { payment, offer }: ExactRequest,
): Promise<{ cause: Cause | null; balance: bigint; block: bigint }> {
  const chain = exactOf(context);
  const isAsOffered =
    offer !== null &&
    readNetwork(offer.network ?? "") === chain.network &&
    payment.asset.toLowerCase() === chain.asset.toLowerCase() &&
    payment.payTo.toLowerCase() === offer.payTo?.toLowerCase() &&
    payment.value.toString() === offer.amount;
  if (!isAsOffered) return { cause: "other_payment", balance: 0n, block: 0n };
  const { fault, ...state } = await chain.check(payment);
  return { cause: fault && CAUSE_OF_FAULT[fault], ...state };
}
