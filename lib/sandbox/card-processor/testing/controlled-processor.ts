import type { Stripe } from "stripe";
import { DOCUMENT, finishOnboarding, type Onboarding, requirementsOf } from "../accounts.ts";
import { newDispute, openDispute } from "../disputes.ts";
import { finishPayout } from "../payouts.ts";
import { platformOf } from "../platform.ts";
import { find, type Scope, save } from "../scope.ts";
import {
  type EmbeddedProcessor,
  type EmbeddedProcessorOptions,
  startEmbeddedProcessor,
} from "../start-embedded-processor.ts";
import type { ConnectRecord, StoredDispute } from "../store.ts";
import { DECLINES, type DeclineName } from "../test-cards.ts";

export type ControlledProcessor = Awaited<ReturnType<typeof startControlledProcessor>>;

/** The embedded processor, with control over what happens outside its API: cardholders, banks, events and time. */
export async function startControlledProcessor(options: EmbeddedProcessorOptions) {
  const processor = await startEmbeddedProcessor(options);
  return {
    ...processor,
    controls: createControls(processor),
    webhooks: controlWebhooks(processor),
  };
}

function createControls({ act, authenticate, store, time }: EmbeddedProcessor) {
  const setPlatform = (part: Partial<ConnectRecord>) =>
    act((scope) => scope.work.put({ ...platformOf(scope), ...part }));
  return {
    authenticate,
    /** Declines the card's charges from now on; `null` accepts them again. */
    declineCard: (paymentMethodId: string, decline: DeclineName | null) =>
      act((scope) => {
        const { onCharge: _before, ...record } = find(scope, "card_record", paymentMethodId);
        scope.work.put({ ...record, ...(decline !== null && { onCharge: DECLINES[decline] }) });
      }),
    expireCard: (paymentMethodId: string) =>
      act((scope) => {
        const card = find(scope, "payment_method", paymentMethodId);
        if (card.card) Object.assign(card.card, { exp_month: 1, exp_year: 2020 });
        save(scope, card, "payment_method.automatically_updated");
      }),
    /** `amount` in the minor unit, where only a part of the payment is disputed. */
    openDispute: (paymentIntentId: string, reason?: string, amount?: number) =>
      act((scope) => openDispute(scope, paymentIntentId, reason, amount).id),
    endDispute: (disputeId: string, status: "won" | "lost") =>
      act((scope) => endDispute(scope, disputeId, status)),
    /** A bank's doubt that ends before it is a dispute: the payment stays, or goes back. */
    preventDispute: (paymentIntentId: string, how: "block" | "resolution") =>
      act((scope) => preventDispute(scope, paymentIntentId, how).id),
    finishRefund: (refundId: string, status: "succeeded" | "failed") =>
      act((scope) => finishRefund(scope, refundId, status)),
    /** Ends the platform's own registration for connected accounts, or makes it again. */
    setConnect: (isEnabled: boolean) => setPlatform({ isOff: !isEnabled }),
    /** Leaves the platform bank accounts in these currencies; charges in others are converted into the first. */
    setSettlement: (settlesIn: string[]) => setPlatform({ settlesIn }),
    /** How often Stripe pays the platform's own balance to its bank, as its settings say; `daily` at first. */
    setPayoutInterval: (payoutInterval: string) => setPlatform({ payoutInterval }),
    /** The least that a payout may be, in minor units; 1 at first. */
    setLeastPayout: (leastPayout: number) => setPlatform({ leastPayout }),
    /** How long charges of now on take to become available in the platform's balance; 0 at first. */
    setClearing: (clearsAfterSecs: number) => setPlatform({ clearsAfterSecs }),
    /** Whether the processor has a search, as it has not in India. */
    setSearch: (isOffered: boolean) => setPlatform({ hasNoSearch: !isOffered }),
    /** How many seconds a search lags behind the store; 0 at first. */
    setSearchLag: (searchLagSecs: number) => setPlatform({ searchLagSecs }),
    /** Enters a connected account's data on the hosted page, with bank accounts in these currencies; in the US and USD by default. */
    onboard: (
      accountId: string,
      how: Onboarding = "complete",
      currencies?: string[],
      country?: string,
    ) => act((scope) => void finishOnboarding(scope, accountId, how, { currencies, country })),
    /** Pauses a connected account's payouts, for a document or Stripe's reason, or resumes them. */
    restrict: (accountId: string, isRestricted: boolean, reason?: DisabledReason) =>
      act((scope) => restrictAccount(scope, accountId, isRestricted, reason)),
    /** The owner of a connected account closes it: the platform has no access to it any more. */
    closeAccount: (id: string) =>
      act(({ work }) => work.put({ object: "connect_record", id, account: id, isClosed: true })),
    /** The bank has a payout, or sends it back with a failure code. */
    finishPayout: (payoutId: string, failure: string | null) =>
      act((scope) => void finishPayout(scope, payoutId, failure)),
    /** Advances the processor's clock: idempotency keys expire after a day. */
    advance: (seconds: number) => {
      time.ahead += seconds;
    },
    payments: (): Stripe.PaymentIntent[] => structuredClone(store.begin().all("payment_intent")),
    /** Ids of events, oldest first; all, or those of one payment. */
    events: (paymentIntentId?: string): { id: string; type: string }[] =>
      store
        .begin()
        .all("event")
        .filter(
          ({ data }) => paymentIntentId === undefined || concerns(data.object, paymentIntentId),
        )
        .map(({ id, type }) => ({ id, type })),
  };
}

function controlWebhooks({ webhooks, store }: EmbeddedProcessor) {
  const { owed, send, wake, pause } = webhooks;
  return {
    /** Stops sending automatically; events wait for `deliver` or `resume`. */
    pause: () => pause(true),
    resume: () => pause(false),
    /** Sends events in the given order, repeats included. Returns the status of each answer. */
    async deliver(eventIds: readonly string[]): Promise<number[]> {
      const statuses: number[] = [];
      for (const id of eventIds) {
        const event = store.begin().find("event", id);
        if (!event) throw new Error(`No such event: ${id}`);
        statuses.push(await send(event));
      }
      return statuses;
    },
    /** Waits until every event is acknowledged, up to the timeout. Returns how many are left. */
    async drained(timeoutMs = 10_000): Promise<number> {
      const end = performance.now() + timeoutMs;
      while (owed().length > 0 && performance.now() < end) {
        wake();
        await new Promise((next) => setTimeout(next, 20));
      }
      return owed().length;
    },
  };
}

function concerns(object: unknown, paymentIntentId: string): boolean {
  const { id, payment_intent } = object as { id?: string; payment_intent?: string | null };
  return id === paymentIntentId || payment_intent === paymentIntentId;
}

/** A dispute that was never raised: a `block` moved no money, a `resolution` gave the payment back without a fee. */
function preventDispute(
  scope: Scope,
  intentId: string,
  how: "block" | "resolution",
): StoredDispute {
  const dispute = newDispute(scope, intentId, "fraudulent");
  const withdrawn = { amount: -dispute.amount, currency: dispute.currency, fee: 0 };
  const prevented: StoredDispute = {
    ...dispute,
    evidence_details: { ...dispute.evidence_details, due_by: 0 },
    status: "prevented",
    ...(how === "resolution" && {
      balance_transactions: [withdrawn as Stripe.BalanceTransaction],
    }),
  };
  save(scope, prevented, "charge.dispute.created");
  if (how === "resolution") scope.emit("charge.dispute.funds_withdrawn", prevented);
  return prevented;
}

/** The bank's decision: for the seller or for the cardholder. */
function endDispute(scope: Scope, id: string, status: "won" | "lost"): void {
  const ended = { ...find(scope, "dispute", id), status };
  save(scope, ended, "charge.dispute.closed");
  if (status === "won") scope.emit("charge.dispute.funds_reinstated", ended);
}

/** Completes a refund that was pending, or that the bank returned later. */
function finishRefund(scope: Scope, id: string, status: "succeeded" | "failed"): void {
  const refund = find(scope, "refund", id);
  const ended: Stripe.Refund = {
    ...refund,
    status,
    ...(status === "failed" && { failure_reason: "lost_or_stolen_card" }),
  };
  scope.work.put(ended);
  scope.emit(status === "failed" ? "refund.failed" : "refund.updated", ended);
  if (status === "failed" && refund.status !== "failed") {
    const charge = find(scope, "charge", refund.charge as string);
    const left = charge.amount_refunded - refund.amount;
    scope.work.put({ ...charge, amount_refunded: left, refunded: false });
  }
}

/** Why an account pays nothing out. */
type DisabledReason = Stripe.Account.Requirements["disabled_reason"];

function restrictAccount(
  scope: Scope,
  id: string,
  isRestricted: boolean,
  reason?: DisabledReason,
): void {
  const requirements = requirementsOf(isRestricted && !reason ? DOCUMENT : []);
  const changed: Stripe.Account = {
    ...find(scope, "account", id),
    payouts_enabled: !isRestricted,
    requirements: { ...requirements, disabled_reason: reason ?? requirements.disabled_reason },
  };
  save(scope, changed, "account.updated");
}
