import {
  type ParsedInputOf,
  PaymentsError,
  type Withdrawal,
  ZERO_ADDRESS,
} from "@turnpike/payments/protocol";
import type { WithdrawalAddresses } from "@/lib/console/money.ts";
import { auditNote, type Context, invalid, requireCaller } from "../context.ts";
import { requireWithinRoot } from "../delegations/key-roots.ts";
import { eachAlone } from "../each-alone.ts";
import { amountText } from "../orders/money.ts";
import type { Ports } from "../ports.ts";
import {
  type AccountPayment,
  type AccountPaymentOutcome,
  type AccountPaymentRecord,
  type AccountPayments,
  walletHolds,
} from "./account-payments.ts";
import type { Stablecoin, WithdrawalAddressRecord } from "./balance-ports.ts";

type Input = ParsedInputOf<"createWithdrawal">;

/** Sends stablecoin of the caller's to an address on their list; a repeat with the same key finds the same withdrawal. */
export async function createWithdrawal(context: Context, input: Input): Promise<Withdrawal> {
  const { account } = requireCaller(context);
  const { ports } = context;
  const { stablecoin, payments } = requireChain(ports);
  const { idempotencyKey } = input;
  const find = async () =>
    idempotencyKey ? ports.money.findPayment(account, idempotencyKey) : null;
  const known = await find();
  if (known) return repeat(ports, known, input);
  await requireSendable(context, stablecoin, input);
  const mostADay = stablecoin.withdrawals?.mostADay ?? 0;
  const balanceAt = await ports.clock.now();
  const { amount: balance } = await stablecoin.balanceOf(account);
  const payment = {
    paymentId: ports.crypto.randomId(),
    kind: "withdrawal" as const,
    account,
    token: stablecoin.token,
    to: input.to,
    amount: input.amount,
  };
  const note = auditNote(context, "withdrawal.create", input.to);
  try {
    const begun = await ports.money.beginPayment(
      { ...payment, idempotencyKey: idempotencyKey ?? null, balance, balanceAt, mostADay },
      note,
    );
    if (begun.outcome === "unlisted") throw unlisted(input.to);
    if (begun.outcome === "short") throw short(begun.available, stablecoin);
    if (begun.outcome === "many") throw tooMany(mostADay);
  } catch (cause) {
    // A concurrent request with the same key may have come first, and have used what this one lacks.
    const first = await find();
    if (first) return repeat(ports, first, input);
    throw cause;
  }
  return answerOf(payment.paymentId, await payBegun(ports, payments, payment));
}

/**
 * Pays what is in the journal. Whatever fails here leaves it under way: `resolveWithdrawals` looks at it again, and pays.
 */
async function payBegun(
  { log }: Ports,
  payments: AccountPayments,
  payment: AccountPayment & Partial<AccountPaymentRecord>,
): Promise<AccountPaymentOutcome> {
  try {
    return await payments.pay(payment);
  } catch (cause) {
    const { paymentId, state, txHash, sent } = payment;
    log.warn({ paymentId, cause: String(cause) }, "withdrawal left in progress");
    if (state === "paid" && txHash) return { status: "paid", txHash };
    if (state === "refused") {
      const { failureCode, failureMessage } = payment;
      return { status: "refused", code: failureCode ?? "", message: failureMessage ?? "" };
    }
    return { status: "open", txHash: sent?.hash ?? null };
  }
}

export async function listWithdrawalAddresses(context: Context): Promise<WithdrawalAddresses> {
  const { account } = requireCaller(context);
  const { money, clock, stablecoin, withdrawalWaitSecs: waitSecs } = context.ports;
  const [items, now] = await Promise.all([money.listAddresses(account), clock.now()]);
  const least = (stablecoin?.withdrawals?.least ?? 0n).toString();
  return { items: items.map((row) => shown(row, now)), waitSecs, least };
}

/** Adds an address to the caller's list; it can be used after the deployment's wait. */
export async function addWithdrawalAddress(
  context: Context,
  { address, name }: { address: string; name?: string | undefined },
): Promise<WithdrawalAddresses> {
  const { account } = requireCaller(context);
  const { money, withdrawalWaitSecs: waitSecs } = context.ports;
  requireReceiver(requireChain(context.ports).stablecoin, account, {
    field: "address",
    to: address,
  });
  await money.addAddress(
    account,
    { address, name: name || null, waitSecs },
    auditNote(context, "withdrawal-address.add", address),
  );
  return listWithdrawalAddresses(context);
}

export async function removeWithdrawalAddress(
  context: Context,
  { address }: { address: string },
): Promise<WithdrawalAddresses> {
  const { account } = requireCaller(context);
  const note = auditNote(context, "withdrawal-address.remove", address);
  await context.ports.money.removeAddress(account, address, note);
  return listWithdrawalAddresses(context);
}

const shown = (row: WithdrawalAddressRecord, now: Date): WithdrawalAddresses["items"][number] => ({
  address: row.address,
  ...(row.name && { name: row.name }),
  createdAt: row.createdAt.toISOString(),
  usableAt: row.usableAt.toISOString(),
  isUsable: row.usableAt <= now,
  uses: row.uses,
  ...(row.lastUsedAt && { lastUsedAt: row.lastUsedAt.toISOString() }),
});

async function repeat(
  ports: Ports,
  known: AccountPaymentRecord,
  { amount, to }: Input,
): Promise<Withdrawal> {
  const isSame = known.amount === amount && known.to.toLowerCase() === to.toLowerCase();
  // A payment to a seller has been signed already: sending it too would pay twice.
  if (known.kind !== "withdrawal" || !isSame) {
    throw new PaymentsError(
      "idempotency_conflict",
      "This Idempotency-Key was used for another payment.",
    );
  }
  const { accountPayments } = ports;
  if (!accountPayments) throw unavailable();
  return answerOf(known.paymentId, await payBegun(ports, accountPayments, known));
}

function answerOf(withdrawalId: string, outcome: AccountPaymentOutcome): Withdrawal {
  if (outcome.status !== "refused") {
    const { status, txHash } = outcome;
    return { withdrawalId, status, ...(txHash !== null && { txHash }) };
  }
  if (outcome.code === "owner_signature") throw walletHolds(BY_WALLET);
  throw new PaymentsError("payment_refused", `${outcome.message} Nothing was sent.`, {
    hint: "Withdraw again with a new Idempotency-Key.",
    details: [{ path: "withdrawal", message: outcome.code }],
  });
}

const BY_WALLET = { path: "withdrawal", hint: "Send from your wallet." };

async function requireSendable(
  context: Context,
  stablecoin: Stablecoin,
  { currency, amount, to }: Input,
): Promise<void> {
  const { ports, caller } = context;
  const account = caller?.account ?? "";
  await requireWithinRoot(context);
  if (currency !== stablecoin.currency) {
    const code = stablecoin.currency.toUpperCase();
    throw invalid(
      "currency",
      `Only ${code} can be withdrawn. Card sales are paid out: POST /payouts.`,
    );
  }
  const least = stablecoin.withdrawals?.least ?? 0n;
  if (amount === 0n) throw invalid("amount", "Withdraw more than 0.");
  if (amount < least) throw invalid("amount", `Withdraw at least ${amountText(currency, least)}.`);
  requireReceiver(stablecoin, account, { field: "to", to });
  const [addresses, now] = await Promise.all([
    ports.money.listAddresses(account),
    ports.clock.now(),
  ]);
  const listed = addresses.find(({ address }) => address.toLowerCase() === to.toLowerCase());
  if (!listed) throw unlisted(to);
  if (listed.usableAt > now) {
    const at = listed.usableAt.toISOString().slice(0, 16).replace("T", " ");
    throw invalid("to", `${to} was added recently. You can withdraw to it from ${at} UTC.`);
  }
  if (await ports.ownerGrants?.isOwnerElsewhere(account)) throw walletHolds(BY_WALLET);
}

const unlisted = (to: string): PaymentsError =>
  invalid("to", `${to} is not on your list of addresses. Add it on Balance, Withdraw.`);

/** Addresses where the money would be lost, or not move. */
function requireReceiver(
  stablecoin: Stablecoin,
  account: string,
  { field, to }: { field: string; to: string },
): void {
  if (to === ZERO_ADDRESS) {
    throw invalid(field, "No one holds the zero address: the money would be lost.");
  }
  if (stablecoin.isOwnContract(to)) {
    throw invalid(field, `${to} is one of Turnpike's contracts: the money would be lost.`);
  }
  if (to.toLowerCase() === account.toLowerCase()) {
    throw invalid(field, "This is your account's own address.");
  }
}

function short(available: bigint, { currency }: Stablecoin): PaymentsError {
  const left = amountText(currency, available < 0n ? 0n : available);
  return new PaymentsError(
    "payment_refused",
    `${left} is available, less than this withdrawal. Nothing was sent.`,
    {
      hint: "Withdraw at most what is available.",
      details: [{ path: "amount", message: "insufficient_funds" }],
    },
  );
}

const tooMany = (mostADay: number): PaymentsError =>
  new PaymentsError(
    "payment_refused",
    `Your account has made the ${mostADay} withdrawals a day whose gas the service pays. Nothing was sent.`,
    {
      hint: "Withdraw again within 24 hours, in one amount.",
      details: [{ path: "withdrawal", message: "gas_budget" }],
    },
  );

const unavailable = () =>
  new PaymentsError("rail_unavailable", "This deployment has no stablecoin to withdraw.");

function requireChain({ stablecoin, accountPayments: payments }: Ports): {
  stablecoin: Stablecoin;
  payments: AccountPayments;
} {
  if (stablecoin && payments) return { stablecoin, payments };
  throw unavailable();
}

/** Looks again at withdrawals whose outcome is unknown. */
export async function resolveWithdrawals(ports: Ports): Promise<void> {
  const { accountPayments, accountPaymentJournal: journal, log } = ports;
  if (!accountPayments) return;
  const items = await journal.takeDue("withdrawal", 20);
  const facts = ({ paymentId }: AccountPaymentRecord) => ({ paymentId });
  await eachAlone(ports, { items, says: "withdrawal left in progress", facts }, async (payment) => {
    const { status } = await accountPayments.pay(payment);
    if (status !== "paid") log.warn({ ...facts(payment), status }, "withdrawal looked at");
  });
}
