import { Stripe } from "stripe";
import { payoutStepOf } from "@/lib/console/minor-units.ts";
import type {
  PayoutFailure,
  PayoutProcessor,
  PayoutRecord,
} from "@/lib/domain/money/payout-ports.ts";
import { answering } from "./answering.ts";
import type { CardParts } from "./card-parts.ts";
import { countedOf, priceOf } from "./charge-amount.ts";
import { createConnect } from "./connected/connect.ts";
import { readable, scrub } from "./scrub.ts";
import { createSendOnce, isWithoutAccess, LISTED_MS, nullIfMissing } from "./send-once.ts";

/** Lists hold the rows of one payout or one builder; a hundred is a page. */
const PAGE = 100;

/**
 * Pays builders through the processor: separate transfers to their connected accounts, and payouts from there. Each step
 * looks for what an earlier attempt made, and carries the payout's own idempotency key.
 *
 * @example const payouts = createPayoutProcessor({ stripe, environment: "sandbox" });
 */
export function createPayoutProcessor(
  options: Pick<CardParts, "stripe" | "environment" | "now">,
): PayoutProcessor {
  const { stripe, environment } = options;
  const metadataOf = ({ payoutId }: PayoutRecord) => ({ payout_id: payoutId, environment });
  const amountOf = ({ amount, currency }: PayoutRecord) => ({
    amount: countedOf(amount, currency),
    currency,
  });

  const { transfersOf, allTransfersOf, transferredTo, findPayout } = createFinders(stripe);
  const sendOnce = createSendOnce(options.now);

  return {
    ...createConnect(options),
    step: payoutStepOf,
    ...createClearing(stripe),
    transfer: (payout) =>
      attempt(payout, TRANSFER_REFUSED, async () => {
        const find = async () => (await transfersOf(payout)).data[0];
        const terms = {
          ...amountOf(payout),
          destination: payout.processorAccount,
          transfer_group: payout.payoutId,
          metadata: metadataOf(payout),
        };
        const made =
          (await find()) ??
          (await sendOnce(
            `tr_${payout.payoutId}`,
            (idempotencyKey) => stripe.transfers.create(terms, { idempotencyKey }),
            { find, afterMs: LISTED_MS, isFinal: true },
          ));
        return { reference: made.id };
      }),
    payOut: (payout) =>
      attempt(payout, PAYOUT_REFUSED, async () => {
        const find = () => findPayout(payout);
        const terms = { ...amountOf(payout), metadata: metadataOf(payout) };
        const { processorAccount: stripeAccount } = payout;
        const made =
          (await find()) ??
          (await sendOnce(
            `po_${payout.payoutId}`,
            (idempotencyKey) => stripe.payouts.create(terms, { stripeAccount, idempotencyKey }),
            { find, afterMs: LISTED_MS, isFinal: true },
          ));
        return { reference: made.id, arrivesAt: new Date(made.arrival_date * 1000) };
      }),
    readPayout: (payout) =>
      readable(async () => {
        const found = await findPayout(payout);
        if (!found) throw new Error("The processor does not know the payout.");
        const { status, failure_code: code, failure_message: message } = found;
        if (status !== "failed" && status !== "canceled") {
          return { status: status === "paid" ? ("paid" as const) : ("sent" as const) };
        }
        return {
          failure: {
            code: code ?? status,
            message: BANK[code ?? ""] ?? message ?? "The bank sent the payout back.",
          },
        };
      }, subjectOf(payout)),
    takeBack: (payout) =>
      readable(async () => {
        const terms = { metadata: metadataOf(payout) };
        const made = await allTransfersOf(payout);
        if (made.length === 0) throw new Error("The processor does not list the transfer yet.");
        // Newest first. Without an amount a reversal takes what is left of its transfer.
        for (const { id, reversed } of made) {
          if (reversed) continue;
          await sendOnce<unknown>(
            `trr_${id}`,
            (idempotencyKey) => stripe.transfers.createReversal(id, terms, { idempotencyKey }),
            // A second one would take what is left: nothing.
            { find: async () => (await stripe.transfers.retrieve(id)).reversed },
          );
        }
      }, subjectOf(payout)),
    transferredTo,
  };
}

/** A balance that is shown waits for it, and without it a payout is bounded by the ledger alone. */
const CLEARED_MS = 3_000;

/** What can be paid out now, and when more can. */
const createClearing = (stripe: Stripe): Pick<PayoutProcessor, "cleared" | "clearingOf"> => ({
  // The platform's balance has a row for each currency that it is settled in.
  cleared: (currency) =>
    answering(async () => {
      const { available, pending } = await stripe.balance.retrieve({}, { timeout: CLEARED_MS });
      const [cleared, coming] = [available, pending].map((rows) =>
        rows.find((row) => row.currency === currency),
      );
      if (cleared) return priceOf(cleared.amount, currency);
      return coming ? 0n : null;
    }),
  // Without an entry the charge is still being captured in the background. A payment that is not there has none either.
  clearingOf: (reference) =>
    answering(async () => {
      const expand = ["latest_charge.balance_transaction"];
      const found = stripe.paymentIntents.retrieve(reference, { expand });
      const charge = (await found.catch(nullIfMissing))?.latest_charge;
      const entry = typeof charge === "object" ? charge?.balance_transaction : null;
      if (typeof entry !== "object" || !entry) return null;
      return { currency: entry.currency, availableOn: new Date(entry.available_on * 1000) };
    }),
});

/** What earlier attempts at a payout made, and what an account has of all payouts. */
function createFinders(stripe: Stripe) {
  /** One, or more where the first was not found when it was looked for. */
  const transfersOf = ({ payoutId }: PayoutRecord) =>
    stripe.transfers.list({ transfer_group: payoutId, limit: PAGE });
  return {
    transfersOf,
    /** With the one that was noted: a list may not show yet what was just made. */
    async allTransfersOf(payout: PayoutRecord): Promise<Stripe.Transfer[]> {
      const made: Stripe.Transfer[] = [];
      for await (const transfer of transfersOf(payout)) made.push(transfer);
      const noted = payout.transferReference;
      if (noted && !made.some(({ id }) => id === noted)) {
        made.unshift(await stripe.transfers.retrieve(noted));
      }
      return made;
    },
    async transferredTo(destination: string) {
      const sums = new Map<string, bigint>();
      for await (const row of stripe.transfers.list({ destination, limit: PAGE })) {
        // It went on there with a charge, for which the builder was owed nothing.
        if (row.source_transaction) continue;
        const left = priceOf(row.amount - row.amount_reversed, row.currency);
        sums.set(row.currency, (sums.get(row.currency) ?? 0n) + left);
      }
      return [...sums].map(([currency, amount]) => ({ currency, amount }));
    },
    async findPayout(payout: PayoutRecord): Promise<Stripe.Payout | undefined> {
      const account = { stripeAccount: payout.processorAccount };
      if (payout.payoutReference) {
        return stripe.payouts.retrieve(payout.payoutReference, {}, account);
      }
      // Without a reference it was made a moment ago, if at all.
      const { data } = await stripe.payouts.list({ limit: PAGE }, account);
      return data.find(({ metadata }) => metadata?.payout_id === payout.payoutId);
    },
  };
}

const BANK: Record<string, string> = {
  account_closed: "Your bank account is closed. Add another one on the processor's page.",
  no_account: "Your bank does not know this account. Check its number on the processor's page.",
  could_not_process: "Your bank could not process the payout. Pay out again later.",
  insufficient_funds: "The processor's balance was too low for it. Pay out again later.",
};

/** What a refusal of a step means for the builder, by the processor's code. */
type Refusals = Record<string, string> & { otherwise: string };

const TOO_SMALL =
  "The payout is below the processor's minimum in its currency. It stays owed to you: pay out again when more is available.";
const BANK_REFUSED =
  "The processor cannot pay to your bank account. Check it on the processor’s page, then pay out again.";

const TRANSFER_REFUSED: Refusals = {
  balance_insufficient:
    "The card payments behind it have not cleared yet. Pay out again in two days.",
  insufficient_capabilities_for_transfer:
    "The processor does not accept transfers to your account yet. Continue on its page.",
  account_invalid:
    "Your account at the processor is closed. Set up payouts again, then pay out again.",
  amount_too_small: TOO_SMALL,
  otherwise:
    "The processor refused the transfer to your account: it may not send money to accounts in your country. Contact support.",
};

const PAYOUT_REFUSED: Refusals = {
  balance_insufficient:
    "Your account at the processor has less in this currency than the payout. Look at its balance on the processor’s page, then pay out again.",
  payouts_not_allowed:
    "The processor has paused your payouts. Continue on its page, then pay out again.",
  account_invalid:
    "Your account at the processor is closed. Set up payouts again, then pay out again.",
  amount_too_small: TOO_SMALL,
  bank_account_unusable: BANK_REFUSED,
  bank_account_declined: BANK_REFUSED,
  bank_account_unverified: BANK_REFUSED,
  otherwise: "The processor refused the payout to your bank. Contact support.",
};

/** What is about the account, and no payout of it would get past. */
const OF_ACCOUNT = new Set(
  Object.keys(PAYOUT_REFUSED).filter((code) => code !== "amount_too_small"),
);

const isRefusal = (cause: unknown): cause is Stripe.errors.StripeError =>
  isWithoutAccess(cause) ||
  (cause instanceof Stripe.errors.StripeInvalidRequestError && cause.statusCode === 400);

/** The processor's refusal of a step as a value; anything else that fails is unknown. */
const attempt = <T>(
  payout: PayoutRecord,
  refusals: Refusals,
  work: () => Promise<T>,
): Promise<T | { failure: PayoutFailure }> =>
  readable(async () => {
    try {
      return await work();
    } catch (cause) {
      if (!isRefusal(cause)) throw cause;
      const code = cause.code ?? "invalid_request";
      const message = refusals[code];
      return {
        failure: {
          ...{ code, message: message ?? refusals.otherwise, reason: scrub(cause.message) },
          ...(OF_ACCOUNT.has(code) && { isOfAccount: true }),
          ...(!message && { isOperators: true }),
        },
      };
    }
  }, subjectOf(payout));

const subjectOf = ({ payoutId }: PayoutRecord) => `Payout ${payoutId}`;
