import "server-only";
import { PaymentsError, type Refund } from "@turnpike/payments/protocol";
import { actingFor, type Context } from "@/lib/domain/context.ts";
import type { Refundable, SettledCall } from "@/lib/domain/money/refund-ports.ts";
import { creditsPriceOf, leftOf } from "@/lib/domain/money/refundable.ts";
import { createRefund } from "@/lib/domain/money/refunds.ts";
import { amountText } from "@/lib/domain/orders/money.ts";
import type { Ports } from "@/lib/domain/ports.ts";
import { currencyPaid } from "@/lib/domain/rails/rail.ts";

/**
 * What became of one id. `open`: it is being refunded. `before`: that was begun or done before. `person`: it can't be refunded,
 * or waits for a wallet.
 */
export type OperatorRefund = {
  state: "proposed" | "refunded" | "open" | "before" | "person";
  id: string;
  detail: string;
};

/** The ids in a file: one a line, alone or as the first value of CSV. */
export const readRefundIds = (text: string): string[] => [
  ...new Set(
    text
      // A field may have line breaks, and what it says was written by a builder.
      .replace(/"(?:[^"]|"")*"/g, (field) => field.replace(/[\r\n]+/g, " "))
      .split(/\r?\n/)
      .map((line) => line.split(",")[0]?.trim() ?? "")
      .filter((id) => id !== "" && id !== "request_key"),
  ),
];

/**
 * Refunds a settled call (`builder/agentRequestId`) or what is left of an order, as its builder would: a call's credits, or
 * what they cost where credits can't return. Repeating it refunds nothing twice. Without `isApplying` it changes nothing.
 *
 * @example const { state, detail } = await refundAsOperator(ports, id, { isApplying: false, reason: "Charged twice" });
 */
export async function refundAsOperator(
  ports: Ports,
  id: string,
  { isApplying, reason }: { isApplying: boolean; reason: string },
): Promise<OperatorRefund> {
  try {
    const { detail, isDone, refund } = id.includes("/")
      ? await ofCall(ports, id)
      : await ofOrder(ports, id);
    if (isDone) return { state: "before", id, detail };
    return isApplying
      ? { ...outcomeOf(await refund(reason), detail), id }
      : { state: "proposed", id, detail };
  } catch (cause) {
    if (!PaymentsError.is(cause)) throw cause;
    const isDone = cause.details?.some(({ message }) => message === "refunded");
    return { state: isDone ? "before" : "person", id, detail: cause.message };
  }
}

/** An amount of an order in what paid for it: a price in USD is paid in USDC on chain. */
const paidText = ({ rails }: Ports, { order }: Refundable, amount: bigint) =>
  amountText(currencyPaid(rails.find(order.scheme), order.currency), amount);

type Plan = { detail: string; isDone: boolean; refund: (reason: string) => Promise<Refund> };

async function ofOrder(ports: Ports, orderId: string): Promise<Plan> {
  const found = await ports.refunds.findRefundable(orderId);
  if (!found) throw missing(`order ${orderId}`);
  const { owner, order } = found;
  const amount = leftOf(found);
  return {
    detail: `${paidText(ports, found, amount)} to ${order.account}, sold by ${owner}`,
    isDone: amount === 0n,
    refund: (reason) => createRefund(contextOf(ports, owner), { orderId, amount, reason }),
  };
}

async function ofCall(ports: Ports, requestKey: string): Promise<Plan> {
  const call = await ports.refunds.findCallByKey(requestKey);
  if (!call) throw missing(`settled call ${requestKey}`);
  const { owner, account } = call;
  const agentRequestId = requestKey.slice(requestKey.indexOf("/") + 1);
  const context = contextOf(ports, owner);
  const paid = await costOf(context, call);
  const what = paid ? paidText(ports, paid.order, paid.amount) : `${call.amount} credits`;
  const known = await ports.refunds.list({ account: owner, role: "builder", agentRequestId });
  return {
    detail: `${what} to ${account}, charged by ${owner}`,
    isDone: known.items.some(
      (refund) =>
        refund.requestKey === requestKey && (refund.state === "open" || refund.state === "paid"),
    ),
    async refund(reason) {
      const named = await ports.refunds.findCall(owner, agentRequestId, "owner-or-redeemer");
      // Two accounts may have settled calls of one owner under one id.
      if (named?.requestKey !== requestKey) throw missing(`other way to name ${requestKey}`);
      return createRefund(context, { agentRequestId, amount: paid?.amount, reason });
    },
  };
}

/** What a call cost, where its credits can't return: they have expired, or are burned outside. */
async function costOf(
  context: Context,
  { scheme, isMirrored, hasExpired, orderId, amount: credits }: SettledCall,
): Promise<{ order: Refundable; amount: bigint } | null> {
  const { refunds, rails } = context.ports;
  if (!hasExpired && !isMirrored && !rails.find(scheme)?.mirror) return null;
  const order = orderId && (await refunds.findRefundable(orderId));
  const amount = order ? creditsPriceOf(context, order, credits) : 0n;
  if (order && amount > 0n) return { order, amount };
  throw new PaymentsError(
    "conflict",
    "Its credits can't return, and no money is left that was paid for it, or too little to be sent.",
  );
}

const contextOf = (ports: Ports, owner: string) => actingFor(ports, owner, "npm run refund");

const missing = (what: string) => new PaymentsError("not_found", `There is no ${what}.`);

function outcomeOf(
  { refundId, status, failure }: Refund,
  detail: string,
): Pick<OperatorRefund, "state" | "detail"> {
  const told = `${detail}: refund ${refundId}`;
  if (status === "requested")
    return { state: "person", detail: `${told} waits for the builder's wallet.` };
  if (status === "refused")
    return { state: "person", detail: `${told} was refused. ${failure?.message ?? ""}` };
  return { state: status === "open" ? "open" : "refunded", detail: told };
}
