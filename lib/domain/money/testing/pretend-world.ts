import { cardTerms } from "@/lib/adapters/cards/card-terms.ts";
import { refundFromOwner } from "@/lib/adapters/chain/refund-part.ts";
import { createFindPlanVersion } from "@/lib/adapters/db/chain/chain-orders.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { createAccountPaymentJournal } from "@/lib/adapters/db/money/account-payments.ts";
import type { ChargeOutcome, RefundOutcome } from "@/lib/domain/orders/order-ports.ts";
import type { Rail } from "@/lib/domain/rails/rail.ts";
import type { OrderRecord } from "@/lib/domain/records.ts";
import {
  type MoneyOut,
  testCryptoTerms,
  testDeployment,
} from "@/lib/server/testing/pretend-rail.ts";
import type { Random } from "@/lib/testing/seeded-random.ts";

/** What the processor has of one order's payment. */
type Payment = {
  amount: bigint;
  refunds: Map<string, bigint>;
  /** What the bank took; null without a dispute. */
  dispute: { amount: bigint; status: "needs_response" | "won" } | null;
};

/** The bank, the processor and the chain, outside the service: what moved there is what counts. */
export type PretendWorld = {
  rails: Rail[];
  moneyOut: Required<Pick<MoneyOut, "payoutProcessor" | "stablecoin" | "accountPayments">>;
  /** Whether requests and answers may be lost, and cards declined. */
  setFaults: (isOn: boolean) => void;
  payments: Map<string, Payment>;
  /** Payments on chain, by order. */
  sold: Map<string, bigint>;
  /** Stablecoin by account in lower case. */
  balances: Map<string, bigint>;
  /** Transfers to a builder that were not taken back. */
  transferred: (owner: string) => bigint;
  /** The bank takes what is left, or a part of it in hundredths. */
  dispute: (orderId: string, part?: number) => void;
  win: (orderId: string) => void;
  /** What the processor has of a builder's sales: paid, less what went back. */
  kept: (owner: string) => bigint;
};

/** Does some work and loses the request before it, or the answer after it. */
type Line = <T>(work: () => T | Promise<T>) => Promise<T>;

/** Stand-ins for the card processor and the chain that do each thing once per id and lose requests and answers. */
export function createPretendWorld(
  database: Database,
  { random, ownerOf }: { random: Random; ownerOf: (planId: string) => string },
): PretendWorld {
  let hasFaults = false;
  const line: Line = async (work) => {
    if (hasFaults && random.chance(8)) throw new Error("The request was lost.");
    const done = await work();
    if (hasFaults && random.chance(8)) throw new Error("The response was lost.");
    return done;
  };
  const declines = () => hasFaults && random.chance(5);
  const parts = { line, declines, ownerOf };
  const card = createCards(parts);
  const chain = createChain(database, parts);
  return {
    rails: [card.rail, chain.rail],
    moneyOut: { ...chain.moneyOut, payoutProcessor: card.payouts.processor },
    setFaults: (isOn) => {
      hasFaults = isOn;
    },
    payments: card.payments,
    sold: chain.sold,
    balances: chain.balances,
    transferred: card.payouts.transferred,
    dispute: card.dispute,
    win: card.win,
    kept: (owner) =>
      sum(
        card.paymentsTo.get(owner) ?? [],
        (payment) => leftOf(payment) - (isLost(payment) ? (payment.dispute?.amount ?? 0n) : 0n),
      ),
  };
}

type Parts = { line: Line; declines: () => boolean; ownerOf: (planId: string) => string };

const sum = <T>(items: T[], of: (item: T) => bigint) =>
  items.reduce((total, item) => total + of(item), 0n);
const leftOf = ({ amount, refunds }: Payment) =>
  amount - sum([...refunds.values()], (each) => each);
const isLost = ({ dispute }: Payment) => dispute?.status === "needs_response";

function createCards({ line, declines, ownerOf }: Parts) {
  const payments = new Map<string, Payment>();
  const paymentsTo = new Map<string, Payment[]>();
  const refused = new Set<string>();
  const get = (orderId: string): Payment => {
    const payment = payments.get(orderId);
    if (!payment) throw new Error(`Order ${orderId} was not paid.`);
    return payment;
  };
  const outcomeOf = (orderId: string, payment: Payment): ChargeOutcome => {
    const disputes = payment.dispute
      ? [{ ...payment.dispute, disputeId: `dp_${orderId}`, reason: "fraudulent", respondBy: null }]
      : [];
    const news = { hasRefunds: payment.refunds.size > 0, disputes };
    return isLost(payment)
      ? { status: "returned", code: "disputed", message: "The payment is disputed.", ...news }
      : { status: "paid", reference: `pi_${orderId}`, ...news };
  };
  const refundOf = (payment: Payment, id: string, amount: bigint): RefundOutcome => {
    const isKnown = payment.refunds.has(id);
    if (!isKnown && isLost(payment)) {
      return { status: "refused", code: "charge_disputed", message: "The bank has taken it back." };
    }
    if (!isKnown && amount > leftOf(payment)) {
      return { status: "refused", code: "charge_already_refunded", message: "Refunded before." };
    }
    payment.refunds.set(id, amount);
    return { status: "refunded", reference: `re_${id}` };
  };
  const rail: Rail = {
    ...cardTerms,
    charge: (order) =>
      line(() => {
        const { orderId, planId, price } = order;
        const known = payments.get(orderId);
        if (known) return outcomeOf(orderId, known);
        if (refused.has(orderId) || declines()) {
          refused.add(orderId);
          return { status: "refused", code: "card_declined", message: "The card was declined." };
        }
        const payment = { amount: price, refunds: new Map(), dispute: null };
        payments.set(orderId, payment);
        const owner = ownerOf(planId);
        paymentsTo.set(owner, [...(paymentsTo.get(owner) ?? []), payment]);
        return outcomeOf(orderId, payment);
      }),
    lookUp: ({ orderId }: OrderRecord) =>
      line(() => {
        const payment = payments.get(orderId);
        return payment ? outcomeOf(orderId, payment) : null;
      }),
    refund: ({ orderId }: OrderRecord) =>
      line(() => refundOf(get(orderId), orderId, leftOf(get(orderId)))),
    refundPart: ({ orderId }: OrderRecord, { refundId, amount }) =>
      line(() => refundOf(get(orderId), refundId, amount)),
    refundStep: () => 10_000n,
    listRefunds: ({ orderId }: OrderRecord) =>
      line(() =>
        [...get(orderId).refunds].map(([refundId, amount]) => ({
          reference: `re_${refundId}`,
          refundId,
          amount,
          state: "paid" as const,
        })),
      ),
    signers: () => ({ pattern: "*", addresses: [] }),
    isHealthy: async () => true,
  };
  return {
    payments,
    paymentsTo,
    rail,
    payouts: createPayoutProcessor({ line, declines, ownerOf }),
    dispute(orderId: string, part = 100) {
      const payment = get(orderId);
      const amount = (leftOf(payment) * BigInt(part)) / 100n;
      payment.dispute ??= { amount, status: "needs_response" };
    },
    win(orderId: string) {
      const { dispute } = get(orderId);
      if (dispute) dispute.status = "won";
    },
  };
}

function createPayoutProcessor({ line, declines }: Parts) {
  const transfers = new Map<string, { owner: string; amount: bigint }>();
  const sent = new Map<string, boolean>();
  const failure = { code: "account_closed", message: "The bank account was closed." };
  const processor: NonNullable<MoneyOut["payoutProcessor"]> = {
    openAccount: async (account) => `acct_${account}`,
    onboardingUrl: async () => "https://processor.example/setup",
    readAccount: async () => ({ status: "active", missing: [], currencies: null }),
    step: () => 10_000n,
    cleared: async () => 10n ** 18n,
    clearingOf: async () => ({ currency: "usd", availableOn: new Date(0) }),
    transfer: ({ payoutId, account, amount }) =>
      line(() => {
        transfers.set(payoutId, { owner: account, amount });
        return { reference: `tr_${payoutId}` };
      }),
    payOut: ({ payoutId }) =>
      line(() => {
        const isSent = sent.get(payoutId) ?? !declines();
        sent.set(payoutId, isSent);
        return isSent ? { reference: `po_${payoutId}`, arrivesAt: new Date(0) } : { failure };
      }),
    readPayout: ({ payoutId }) =>
      line(() => (sent.get(payoutId) ? { status: "paid" as const } : { failure })),
    takeBack: ({ payoutId }) =>
      line(() => {
        transfers.delete(payoutId);
      }),
    transferredTo: async () => [],
  };
  const transferred = (owner: string) =>
    sum(
      [...transfers.values()].filter((each) => each.owner === owner),
      ({ amount }) => amount,
    );
  return { processor, transferred };
}

function createChain(database: Database, { line, declines, ownerOf }: Parts) {
  const journal = createAccountPaymentJournal(database.orm);
  const balances = new Map<string, bigint>();
  const sold = new Map<string, bigint>();
  const done = new Set<string>();
  const heldBy = (account: string) => balances.get(account.toLowerCase()) ?? 0n;
  const move = (from: string, to: string, amount: bigint) => {
    balances.set(from.toLowerCase(), heldBy(from) - amount);
    balances.set(to.toLowerCase(), heldBy(to) + amount);
  };
  const { plans, usdc = plans } = testDeployment();
  const accountPayments: NonNullable<MoneyOut["accountPayments"]> = {
    async pay(payment) {
      const { paymentId, account, to, amount } = payment;
      const row = await journal.open(payment, { operationHash: `0x${paymentId}`, sinceBlock: 1n });
      const txHash = `0x${paymentId}`;
      try {
        if (row.state === "refused") {
          return { status: "refused", code: row.failureCode ?? "", message: "Refused before." };
        }
        await line(() => {
          if (done.has(paymentId) || heldBy(account) < amount) return;
          done.add(paymentId);
          move(account, to, amount);
        });
        const outcome = done.has(paymentId)
          ? { status: "paid" as const, txHash }
          : { status: "refused" as const, code: "insufficient_funds", message: "Too little." };
        await journal.close(paymentId, outcome);
        return outcome;
      } catch {
        return { status: "open", txHash: null };
      }
    },
  };
  const refunds = refundFromOwner({
    payments: accountPayments,
    findVersion: createFindPlanVersion(database.orm),
    limits: { least: 0n, mostADay: 0 },
  });
  const rail: Rail = {
    ...testCryptoTerms(),
    charge: ({ orderId, account, planId, price }) =>
      line((): ChargeOutcome => {
        if (!sold.has(orderId)) {
          if (declines() || heldBy(account) < price) {
            return { status: "refused", code: "insufficient_funds", message: "Too little." };
          }
          sold.set(orderId, price);
          move(account, ownerOf(planId), price);
        }
        return { status: "paid", reference: `0x${orderId}` };
      }),
    ...refunds,
    signers: () => ({ pattern: "*", addresses: [] }),
    isHealthy: async () => true,
  };
  const stablecoin: NonNullable<MoneyOut["stablecoin"]> = {
    token: usdc,
    currency: "usdc",
    balanceOf: async (account) => ({ amount: heldBy(account), block: 1n }),
    readDeposits: async () => new Date("9999-01-01"),
    followDeposits: async () => true,
    isOwnContract: (address) => address === plans,
  };
  return { balances, sold, rail, moneyOut: { accountPayments, stablecoin } };
}
