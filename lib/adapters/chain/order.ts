import { type Address, type Hex, isAddressEqual, stringToHex } from "viem";
import type { Settler } from "@/lib/domain/chain-ports.ts";
import { plansAbi } from "./abis.ts";
import { balanceOf } from "./account-payments.ts";
import { findOperation, type IncludedOperation } from "./bundler/find-operation.ts";
import { sendOperation } from "./bundler/send-operation.ts";
import type { TransactionRequest } from "./bundler/transaction-sender.ts";
import { signUserOperation } from "./bundler/user-operation.ts";
import type { ChainClient } from "./chain-client.ts";
import type { Deployment } from "./deployment.ts";
import { datedGrant, gasOfPeriodLimits, type SignedGrant } from "./grants/grant.ts";
import { authorizeSessionKey, nonceKeyOf, type SessionKey } from "./grants/session-key.ts";
import type { Operator } from "./operator.ts";
import { CALL_GAS_PER_RECEIVER } from "./order-budget.ts";
import { orderCalls } from "./order-calls.ts";
import type { OrderRefusal } from "./order-refusals.ts";
import { pollUntil } from "./poll.ts";
import { type CodeMemory, prepareAccounts, withoutCode } from "./prepare-accounts.ts";
import { findRevertData, type RevertReason, readRevertReason } from "./revert-reason.ts";
import type { SmartAccount } from "./smart-account.ts";

export type OrderOutcome =
  | { status: "paid"; transaction: Hex; operation: Hex }
  | { status: "refused"; reason: OrderRefusal; detail: string };

const refusals: Record<string, OrderRefusal> = {
  ERC20InsufficientBalance: "insufficient_funds",
  EnforcedPause: "paused",
  OrderTokenNotPermitted: "wrong_token",
  // The token is the only other contract an order calls, so this means the grant does not cover the token.
  TargetNotPermitted: "wrong_token",
  OrderLimitExceeded: "limit_exceeded",
  PeriodLimitExceeded: "limit_exceeded",
  GrantIsRevoked: "grant_revoked",
  CannotUseADisabledDelegation: "grant_revoked",
  GrantEnded: "grant_ended",
  PlanNotPermitted: "not_permitted",
  PermissionMissing: "not_permitted",
  InvalidDelegate: "not_permitted",
  InvalidERC1271Signature: "not_permitted",
  InvalidSignature: "not_permitted",
  AlreadyOrdered: "already_ordered",
  PlanUnknown: "plan_unknown",
  PlanNotSoldOnChain: "plan_unknown",
};

const CALL_GAS = 450_000n;

/** What finds an order on chain. */
type SentOrder = Operator & {
  /** The settlers whose keys may have sent it before; by default the current one. */
  listSettlers?: () => Promise<readonly Settler[]>;
  /** When it was made; now by default. */
  orderedAt?: Date;
  sessionKey: Pick<SessionKey, "address">;
  orderId: string;
  sinceBlock?: bigint;
};

type OrderRequest = SentOrder & {
  account: SmartAccount;
  grant: SignedGrant;
  sessionKey: SessionKey;
  planId: bigint;
  payment: { token: Address; total: bigint };
  known?: CodeMemory;
  /** Registers the plan where it is new; why it cannot be sold, or null. */
  register?: () => Promise<string | null>;
  /** Whether something may have been sent for it before. */
  wasTried?: boolean;
  /** Called before each form of its transaction is sent; an error stops that. */
  beforeSend?: TransactionRequest["beforeSend"];
};

/** How long a repeated order waits for what was sent before it to be included. */
const PENDING_WAIT_MS = 3_000;

/**
 * Buys a plan once for an account, in one user operation of its session key: the price goes to the plan's receivers,
 * the credits to the account. Repeating it with the same order id and grant never pays twice: the operation's nonce is
 * derived from the order id, so the chain rejects a second one. An order id always belongs to the same grant.
 *
 * @param order `payment` is what the caller expects to pay, in the token's smallest unit; anything else is refused.
 * @returns `paid` with the transaction that paid, or `refused` with a reason; a refused order took nothing.
 * @throws when it is unknown whether the order was paid. Repeat later with the same order id.
 */
export async function orderOnChain(order: OrderRequest): Promise<OrderOutcome> {
  const earlier = await findOrder(order);
  if (earlier) return outcomeOf(earlier);
  const outcome = await tryOrder(order);
  if (outcome.status === "paid") return outcome;
  // What the chain says now may follow from the order's own payment: too little money, a limit that is used up.
  if (order.wasTried) await requireNothingPending(order);
  const landed = await findOrder(order);
  return landed ? outcomeOf(landed) : outcome;
}

/**
 * The outcome of an order that nothing more is sent for; undefined when nothing of it was included.
 *
 * @throws while what was sent before can still be included.
 */
export async function findEndedOrder(order: SentOrder): Promise<OrderOutcome | undefined> {
  await requireNothingPending(order);
  const landed = await findOrder(order);
  return landed && outcomeOf(landed);
}

/** @throws while a transaction that was sent before, and may carry the order, can still be included. */
async function requireNothingPending(order: SentOrder): Promise<void> {
  const { client, sender, orderId, listSettlers = async () => [], orderedAt = new Date() } = order;
  // Nothing was sent for it with a key that was replaced before it was made.
  const inUse = (await listSettlers()).filter(({ until }) => until === null || until > orderedAt);
  const settlers = [...new Set([sender.address, ...inUse.map(({ address }) => address)])];
  const count = (blockTag: "pending" | "latest") =>
    Promise.all(settlers.map((address) => client.getTransactionCount({ address, blockTag })));
  const sent = await count("pending");
  const isDone = async () =>
    (await count("latest")).every((next, index) => next >= (sent[index] ?? 0)) || undefined;
  if (await pollUntil(isDone, { timeoutMs: PENDING_WAIT_MS })) return;
  throw new Error(`Order ${orderId} was sent before and can still be included.`);
}

async function tryOrder(order: OrderRequest): Promise<OrderOutcome> {
  const { client, deployment, account, payment } = order;
  const detail = (await order.register?.()) ?? null;
  if (detail !== null) return { status: "refused", reason: "plan_unknown", detail };
  const price = await readPrice(client, deployment, order.planId);
  if (!price.ok) return refused(price.reason);
  const mismatch =
    checkPayment(price, payment) ?? (await checkFunds(client, account.address, payment));
  return mismatch ?? sendOrder({ ...order, known: order.known ?? new Set() }, price);
}

/** Signs, simulates and sends the operation. */
async function sendOrder(
  order: OrderRequest & { known: CodeMemory },
  price: Price,
): Promise<OrderOutcome> {
  const { client, deployment, sender, account, sessionKey, known, orderedAt = new Date() } = order;
  const grant = datedGrant(deployment, order.grant, orderedAt);
  await prepareAccounts({ client, deployment, sender, accounts: [account], known });
  const callGas =
    CALL_GAS + CALL_GAS_PER_RECEIVER * price.receivers + gasOfPeriodLimits(deployment, grant);
  const calls = orderCalls(deployment, { planId: order.planId, ...order.payment });
  const nonceKey = nonceKeyOfOrder(order.orderId);
  const signing = { deployment, grant, sessionKey, calls, nonceKey, callGas };
  const operation = await signUserOperation(signing);
  const bare = await withoutCode({ client, addresses: [sessionKey.address], known });
  const authorizations =
    bare.length > 0 ? [await authorizeSessionKey({ deployment, sessionKey })] : [];
  const sent = await sendOperation(order, {
    operation,
    callGas,
    withoutCode: bare,
    authorizations,
    ...(order.beforeSend && { beforeSend: order.beforeSend }),
  });
  return "transaction" in sent
    ? { status: "paid", transaction: sent.transaction, operation: sent.hash }
    : refused(sent.reason);
}

const nonceKeyOfOrder = (orderId: string) => nonceKeyOf(stringToHex(`order:${orderId}`));

const findOrder = ({ client, deployment, sessionKey, orderId, sinceBlock }: SentOrder) =>
  findOperation({
    client,
    deployment,
    sessionKey: sessionKey.address,
    nonceKey: nonceKeyOfOrder(orderId),
    ...(sinceBlock !== undefined && { sinceBlock }),
  });

type Price = { token: Address; total: bigint; receivers: bigint };

async function readPrice(
  client: ChainClient,
  deployment: Deployment,
  planId: bigint,
): Promise<({ ok: true } & Price) | { ok: false; reason: RevertReason }> {
  try {
    const [, price] = await client.readContract({
      address: deployment.plans,
      abi: plansAbi,
      functionName: "planOf",
      args: [planId],
    });
    if (!price.isCrypto) return { ok: false, reason: notSold(planId) };
    return {
      ok: true,
      token: price.token,
      total: price.total,
      receivers: BigInt(price.receivers.length),
    };
  } catch (error) {
    const data = findRevertData(error);
    if (!data) throw error;
    return { ok: false, reason: readRevertReason(data) };
  }
}

function notSold(planId: bigint): RevertReason {
  return { name: "PlanNotSoldOnChain", detail: `PlanNotSoldOnChain(${planId})` };
}

function checkPayment(
  price: Price,
  payment: { token: Address; total: bigint },
): OrderOutcome | undefined {
  if (!isAddressEqual(price.token, payment.token)) {
    const detail = `The plan is paid in ${price.token}, not in ${payment.token}.`;
    return { status: "refused", reason: "wrong_token", detail };
  }
  if (price.total !== payment.total) {
    const detail = `The plan costs ${price.total}, not ${payment.total}.`;
    return { status: "refused", reason: "price_changed", detail };
  }
  return undefined;
}

/** Checked first, because an account without enough of the chain's own coin reverts without a reason. */
export async function checkFunds(
  client: ChainClient,
  account: Address,
  { token, total }: { token: Address; total: bigint },
): Promise<Extract<OrderOutcome, { status: "refused" }> | undefined> {
  if (total === 0n) return undefined;
  const balance = await balanceOf(client, { account, token });
  if (balance >= total) return undefined;
  const detail = `Account ${account} holds ${balance} and the plan costs ${total}.`;
  return { status: "refused", reason: "insufficient_funds", detail };
}

function outcomeOf(operation: IncludedOperation): OrderOutcome {
  return operation.success
    ? { status: "paid", transaction: operation.transaction, operation: operation.hash }
    : refused(operation.reason);
}

function refused({ name, detail }: RevertReason): OrderOutcome {
  return { status: "refused", reason: refusals[name] ?? "failed", detail };
}
