import { type ParsedInputOf, PaymentsError, type Payout } from "@turnpike/payments/protocol";
import type { PayoutSetup } from "@/lib/console/money.ts";
import { auditNote, type Context, invalid, requireCaller } from "../context.ts";
import { amountText } from "../orders/money.ts";
import { pageAnswer } from "../page-answer.ts";
import { advancePayout } from "./advance-payout.ts";
import {
  holdsCurrency,
  refreshPayoutAccount,
  requireAccount,
  requireActive,
  requireProcessor,
} from "./payout-accounts.ts";
import type {
  PayoutAccountRecord,
  PayoutAccountState,
  PayoutRecord,
  PayoutSchedule,
} from "./payout-ports.ts";
import { beginPayout, nextOf, readClearings } from "./resolve-payouts.ts";

/** Opens the caller's account at the processor, once, and answers a link to its own page. */
export async function createPayoutAccount(context: Context) {
  const { account } = requireCaller(context);
  const { payouts, origin } = context.ports;
  const processor = requireProcessor(context.ports);
  const tellOperator = (cause: unknown): never => {
    const { log } = context.ports;
    if (PaymentsError.is(cause) && cause.code === "rail_unavailable") {
      log.error({ account, cause: String(cause.cause) }, NOT_OFFERED);
    }
    throw cause;
  };
  const known = await payouts.findAccount(account);
  if (!known || (await refreshPayoutAccount(context.ports, account)).isClosed) {
    const instead = known?.processorAccount ?? null;
    const opened = await processor.openAccount(account, instead).catch(tellOperator);
    const note = auditNote(context, "payout-account.create", opened);
    await payouts.openAccount(account, opened, instead, note);
  }
  const { processorAccount, status } = await refreshPayoutAccount(context.ports, account);
  const onboardingUrl = await processor
    .onboardingUrl(processorAccount, `${origin}/balance/payouts`)
    .catch(tellOperator);
  return { onboardingUrl, status };
}

const NOT_OFFERED =
  "the card processor opens no payout accounts for this service. Enable Connect in Stripe's dashboard and complete its platform profile";

/** How far onboarding is, what pays out when, and what the platform keeps. */
export async function getPayoutSetup(context: Context): Promise<PayoutSetup> {
  const { account } = requireCaller(context);
  const { payouts, payoutProcessor, platformFee, rails, log } = context.ports;
  const isSentOn = rails.all.some((rail) => rail.sendsOn?.(account));
  let setup: (PayoutAccountRecord & Partial<PayoutAccountState>) | null =
    await payouts.findAccount(account);
  if (setup && payoutProcessor) {
    setup = await refreshPayoutAccount(context.ports, account).catch((cause) => {
      log.warn({ account, cause: String(cause) }, "payout account could not be read");
      return setup;
    });
  }
  return {
    isOffered: payoutProcessor !== undefined,
    feeBps: isSentOn ? 0 : platformFee.defaultBps,
    ...(setup && {
      account: {
        processorAccount: setup.processorAccount,
        status: setup.status,
        ...(setup.isClosed && { isClosed: true }),
        missing: setup.missing,
        schedule: setup.schedule,
        ...(setup.nextPayoutAt && { nextPayoutAt: setup.nextPayoutAt.toISOString() }),
      },
    }),
  };
}

export async function setPayoutSchedule(
  context: Context,
  { schedule }: { schedule: PayoutSchedule },
): Promise<PayoutSetup> {
  const { account } = requireCaller(context);
  const before = await requireAccount(context.ports, account);
  const nextPayoutAt = nextOf(schedule, await context.ports.clock.now());
  const change = { from: { schedule: before.schedule }, to: { schedule } };
  const note = auditNote(context, "payout.schedule", schedule, change);
  await context.ports.payouts.updateAccount(account, { schedule, nextPayoutAt }, note);
  return getPayoutSetup(context);
}

/** Pays out all that is available in a currency. A repeat with the same key finds the same payout. */
export async function createPayout(
  context: Context,
  { currency, idempotencyKey }: ParsedInputOf<"createPayout">,
): Promise<Payout> {
  const { account } = requireCaller(context);
  const { ports } = context;
  requireProcessor(ports);
  const known = idempotencyKey && (await ports.payouts.findPayoutByKey(account, idempotencyKey));
  if (known) {
    if (known.currency === currency) return answerOf(await advancePayout(ports, known));
    throw new PaymentsError(
      "idempotency_conflict",
      "This Idempotency-Key was used for a payout in another currency.",
    );
  }
  if ([...ports.stableTokens.values()].some((code) => `${code}c`.toLowerCase() === currency)) {
    throw invalid("currency", "Stablecoin is withdrawn, not paid out. Use POST /withdrawals.");
  }
  const setup = await requireActive(ports, account);
  if (!holdsCurrency(setup, currency)) throw noBankAccount(currency);
  const note = auditNote(context, "payout.create", currency);
  await readClearings(ports, account, { isUrgent: true });
  const begun = await beginPayout(ports, setup, { currency, idempotencyKey, note });
  if ("payout" in begun) return answerOf(await advancePayout(ports, begun.payout));
  const isAnswered = !(await ports.payouts.hasUnanswered(account));
  throw nothingToPay(currency, { ...begun, isAnswered }, requireProcessor(ports).step(currency));
}

export async function listPayouts(context: Context, query: ParsedInputOf<"listPayouts">) {
  const { account } = requireCaller(context);
  const page = await context.ports.payouts.listPayouts(account, query);
  return pageAnswer({ ...page, items: page.items.map(answerOf) }, query);
}

const noBankAccount = (currency: string): PaymentsError =>
  new PaymentsError(
    "conflict",
    `Your account at the processor has no bank account in ${currency.toUpperCase()}. Nothing changed.`,
    {
      hint: "Add one on the processor’s page, then pay out again: POST /payout-accounts returns a link.",
    },
  );

function nothingToPay(
  currency: string,
  { owed, obstacle, isAnswered }: { owed: bigint; obstacle: string | null; isAnswered: boolean },
  step: bigint,
): PaymentsError {
  const code = currency.toUpperCase();
  if (owed >= step && !isAnswered) {
    const message = `The card processor has not answered yet which of your ${code} sales have cleared.`;
    return new PaymentsError("conflict", message, { hint: "Pay out again in ten minutes." });
  }
  if (obstacle) {
    const message =
      obstacle === "short"
        ? `The service's balance at the card processor is too low to pay out your ${code}. Nothing changed.`
        : `Payouts in ${code} are not available on this service yet. Nothing changed.`;
    return new PaymentsError("rail_unavailable", message, {
      hint: "The service's operators were notified. You are still owed the money.",
    });
  }
  if (owed >= step) {
    const message = `The card payments behind your ${code} have not cleared yet.`;
    return new PaymentsError("conflict", message, { hint: "Pay out again in two days." });
  }
  if (owed >= 0n)
    return new PaymentsError("conflict", `No ${code} is available to pay out.`, NOTHING);
  return new PaymentsError(
    "conflict",
    `Refunds, chargebacks and their fees exceed what you earned by ${amountText(currency, -owed)}. Your next sales cover this first.`,
    NOTHING,
  );
}

const NOTHING = { hint: "Pay out again after your next sale." };

const answerOf = (payout: PayoutRecord): Payout => ({
  payoutId: payout.payoutId,
  status: payout.state,
  amount: payout.amount.toString(),
  currency: payout.currency,
  createdAt: payout.createdAt.toISOString(),
  ...(payout.arrivesAt &&
    payout.state !== "failed" && { arrivesAt: payout.arrivesAt.toISOString() }),
  ...(payout.failureCode && {
    failure: { code: payout.failureCode, message: payout.failureMessage ?? "" },
  }),
});
