import {
  EXACT,
  readNetwork,
  type Settlement,
  type Verification,
} from "@turnpike/payments/protocol";
import type { Context } from "../context.ts";
import type { Cause } from "../permissions/causes.ts";
import { LEASE_SECS } from "../permissions/lease.ts";
import type { ReadFacts } from "../permissions/permission-facts.ts";
import type { PermissionRequest } from "../permissions/permission-request.ts";
import { settlementOf } from "../permissions/settlement.ts";
import type { Captured, CheckedPayment, WrittenPayment } from "./exact-ports.ts";
import type { ExactRequest } from "./read-exact.ts";
import {
  CAUSE_OF_FAULT,
  CAUSE_OF_OPENING,
  exactOf,
  outcomeUnknown,
  readExactFacts,
  refusalOf,
  refusedSettlement,
  takingExactOf,
} from "./refusals.ts";

/**
 * What a stock x402 server asks a facilitator: whether the authorization is what its own offer asks for, to any recipient. It
 * pays for nothing of ours, so no plan, no credits and no ledger are involved. Its payer is told what the chain says: one that
 * a server settles may not be captured.
 */
export async function verifyTransfer(
  context: Context,
  request: PermissionRequest,
  exact: ExactRequest,
): Promise<Verification> {
  const { account } = (await readExactFacts(context, request, exact)).caller;
  const { payer } = exact.payment;
  const isPayer = account.toLowerCase() === payer.toLowerCase();
  const { cause: fault, isWritten, gas } = await checkTransfer(context, exact, { isPayer });
  if (isWritten) return { isValid: false, ...refusalOf("authorization_used", payer) };
  const cause = fault ?? ((await isOverGas(context, account, gas)) ? "gas_budget" : null);
  if (cause) return { isValid: false, ...refusalOf(cause, payer) };
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

/**
 * Captures the authorization for one request of the caller. Who settles it under another request id is refused, because two
 * requests that one payment came with would both be answered; under the same id it gets the same transaction.
 */
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
  const facts = await readExactFacts(context, request, exact);
  const accepted = await acceptTransfer(context, { request, exact, facts });
  if ("cause" in accepted) return refuse(accepted.cause);
  const captured = await captureTransfer(context, accepted).catch((cause) => {
    ports.log.warn({ id: payment.id, cause: String(cause) }, "capture outcome unknown");
    throw outcomeUnknown();
  });
  if (captured.status === "refused") {
    await ports.authorizations.close(payment.id, "refused", null);
    return refuse(CAUSE_OF_FAULT[captured.code]);
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
    // It is not in the ledger.
    settlementId: "",
    orderTx: null,
    transaction,
    chainStatus: "included",
  });
  return settled.success ? { ...settled, amount: payment.value.toString() } : settled;
}

/**
 * Captures an open authorization. What became of another is known, and a repeat costs no gas, unless the block of its transfer
 * was replaced: then it is unused again. Where the chain does not answer, a transfer that was written counts.
 */
async function captureTransfer(context: Context, written: WrittenPayment): Promise<Captured> {
  const { state, transaction } = written;
  if (state === "open") return exactOf(context).capture(written);
  const checked = exactOf(context).check(written);
  if (transaction === null) {
    const { fault } = await checked;
    return { status: "refused", code: fault ?? "capture_failed", message: "" };
  }
  const isUnused = await checked.then(({ fault }) => fault === null).catch(() => false);
  return isUnused ? exactOf(context).capture(written) : { status: "paid", reference: transaction };
}

/** Whether the gas of the account's transfers of the day and of one more exceeds what the service pays. */
async function isOverGas(context: Context, account: string, gas: number): Promise<boolean> {
  const { mostGas } = exactOf(context);
  return mostGas > 0 && (await context.ports.authorizations.gasOfDay(account)) + gas > mostGas;
}

/** The authorization as it is written for this request, at its first settle after all checks. */
async function acceptTransfer(
  context: Context,
  {
    request: { agentRequestId },
    exact,
    facts: { caller, now },
  }: { request: PermissionRequest; exact: ExactRequest; facts: ReadFacts },
): Promise<WrittenPayment | { cause: Cause }> {
  const { authorizations } = context.ports;
  const { payment } = exact;
  const { cause, balance, block, gas } = await checkTransfer(context, exact);
  // A repeat can have written it, and captured it, while the chain was asked.
  const isOvertaken =
    cause === "authorization_used" && (await authorizations.find(payment.id)) !== null;
  if (cause && !isOvertaken) return { cause };
  const { account: builder } = caller;
  const parts = { builder, planId: null, planVersion: null, agentRequestId, sinceBlock: block };
  const { mostGas } = exactOf(context);
  const rest = { balance, leaseSecs: LEASE_SECS, since: now, gas, mostGas };
  const opened = await authorizations.open({ ...payment, ...parts }, rest);
  if (opened !== "open") return { cause: CAUSE_OF_OPENING[opened] };
  // As its first settle wrote it: from that block on its transfer is searched for.
  return (await authorizations.find(payment.id)) ?? { cause: "authorization_used" };
}

/** Why the authorization does not pay the caller's offer, or null. Once it is written, the chain is asked for its payer only. */
async function checkTransfer(
  context: Context,
  { payment, offer }: ExactRequest,
  { isPayer }: { isPayer: boolean } = { isPayer: false },
): Promise<Omit<CheckedPayment, "fault"> & { cause: Cause | null; isWritten: boolean }> {
  const chain = exactOf(context);
  const isAsOffered =
    offer !== null &&
    readNetwork(offer.network ?? "") === chain.network &&
    payment.asset.toLowerCase() === chain.asset.toLowerCase() &&
    payment.payTo.toLowerCase() === offer.payTo?.toLowerCase() &&
    payment.value.toString() === offer.amount;
  const unasked = { isWritten: false, balance: 0n, block: 0n, gas: 0, runsCode: false };
  if (!isAsOffered) return { ...unasked, cause: "other_payment" };
  if (!isPayer && (await context.ports.authorizations.find(payment.id)))
    return { ...unasked, cause: null, isWritten: true };
  const { fault, ...state } = await takingExactOf(context).check(payment);
  return { isWritten: false, cause: fault && CAUSE_OF_FAULT[fault], ...state };
}
