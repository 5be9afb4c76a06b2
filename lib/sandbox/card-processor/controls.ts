import type { Stripe } from "stripe";
import {
  closeAccount,
  type DisabledReason,
  finishOnboarding,
  type Onboarding,
  restrictAccount,
} from "./accounts.ts";
import { finishPayment } from "./confirm-payment.ts";
import { endDispute, openDispute, preventDispute } from "./disputes.ts";
import type { Act } from "./holder-page.ts";
import { finishPayout } from "./payouts.ts";
import {
  setClearing,
  setConnect,
  setLeastPayout,
  setPayoutInterval,
  setSearch,
  setSettlement,
} from "./platform.ts";
import { finishRefund } from "./refunds.ts";
import { createEmitter, find, type Scope, save } from "./scope.ts";
import { finishSetup } from "./setup-intents.ts";
import type { Store } from "./store.ts";
import { StripeFailure } from "./stripe-failure.ts";
import { DECLINES, type DeclineName } from "./test-cards.ts";

/** What happens outside the API: cardholders, banks and time. */
export type Controls = {
  /** The cardholder confirms or refuses a pending payment or setup. */
  authenticate: (intentId: string, isConfirmed?: boolean) => void;
  /** Declines the card's charges from now on; `null` accepts them again. */
  declineCard: (paymentMethodId: string, decline: DeclineName | null) => void;
  expireCard: (paymentMethodId: string) => void;
  /** `amount` in the minor unit, where only a part of the payment is disputed. */
  openDispute: (paymentIntentId: string, reason?: string, amount?: number) => string;
  endDispute: (disputeId: string, status: "won" | "lost") => void;
  /** A bank's doubt that ends before it is a dispute: the payment stays, or goes back. */
  preventDispute: (paymentIntentId: string, how: "block" | "resolution") => string;
  finishRefund: (refundId: string, status: "succeeded" | "failed") => void;
  /** Ends the platform's own registration for connected accounts, or makes it again. */
  setConnect: (isEnabled: boolean) => void;
  /** Leaves the platform bank accounts in these currencies; charges in others are converted into the first. */
  setSettlement: (currencies: string[]) => void;
  /** How often Stripe pays the platform's own balance to its bank, as its settings say; `daily` at first. */
  setPayoutInterval: (interval: string) => void;
  /** The least that a payout may be, in minor units; 1 at first. */
  setLeastPayout: (amount: number) => void;
  /** How long charges of now on take to become available in the platform's balance; 0 at first. */
  setClearing: (seconds: number) => void;
  /** Enters a connected account's data on the hosted page, with bank accounts in these currencies; in the US and USD by default. */
  onboard: (accountId: string, how?: Onboarding, currencies?: string[], country?: string) => void;
  /** Pauses a connected account's payouts, for a document or Stripe's reason, or resumes them. */
  restrict: (accountId: string, isRestricted: boolean, reason?: DisabledReason) => void;
  /** The owner of a connected account closes it. */
  closeAccount: (accountId: string) => void;
  /** The bank has a payout, or sends it back with a failure code. */
  finishPayout: (payoutId: string, failure: string | null) => void;
  /** Advances the processor's clock: idempotency keys expire after a day. */
  advance: (seconds: number) => void;
  /** Whether the processor has a search, as it has not in India. */
  setSearch: (isOffered: boolean) => void;
  /** How many seconds a search lags behind the store; 0 at first. */
  setSearchLag: (seconds: number) => void;
  payments: () => Stripe.PaymentIntent[];
  /** Ids of events, oldest first; all, or those of one payment. */
  events: (paymentIntentId?: string) => { id: string; type: string }[];
};

type Parts = { store: Store; hasWebhook: boolean; isLive: boolean; webhooks: { wake: () => void } };

/** The processor's clock, and everything that changes its data without an API call. */
export function createControls({ store, hasWebhook, isLive, webhooks }: Parts) {
  const time = { ahead: 0, searchLag: 0 };
  const now = () => Math.floor(Date.now() / 1000) + time.ahead;

  /** Runs work outside the API, then sends its events. */
  const act: Act = (work) => {
    const unit = store.begin();
    const at = now();
    const event = { now: at, requestId: null, idempotencyKey: null, hasWebhook, isLive };
    const emit = createEmitter(unit, event);
    const about = {
      params: {},
      ids: [],
      now: at,
      isPublic: false,
      account: null,
      origin: "",
      afterwards: [],
    };
    const scope: Scope = { ...about, work: unit, emit };
    const result = work(scope);
    for (const follow of scope.afterwards) follow();
    store.commit(unit);
    webhooks.wake();
    return result;
  };

  const controls: Controls = {
    authenticate: (id, isConfirmed = true) =>
      act((scope) => {
        if (id.startsWith("seti_")) finishSetup(scope, id, isConfirmed);
        else settleQuietly(() => finishPayment(scope, id, isConfirmed));
      }),
    declineCard: (id, decline) =>
      act((scope) => {
        const { onCharge: _before, ...record } = find(scope, "card_record", id);
        scope.work.put({ ...record, ...(decline !== null && { onCharge: DECLINES[decline] }) });
      }),
    expireCard: (id) =>
      act((scope) => {
        const card = find(scope, "payment_method", id);
        if (card.card) Object.assign(card.card, { exp_month: 1, exp_year: 2020 });
        save(scope, card, "payment_method.automatically_updated");
      }),
    openDispute: (id, reason, amount) => act((scope) => openDispute(scope, id, reason, amount).id),
    endDispute: (id, status) => act((scope) => void endDispute(scope, id, status)),
    preventDispute: (id, how) => act((scope) => preventDispute(scope, id, how).id),
    finishRefund: (id, status) => act((scope) => void finishRefund(scope, id, status)),
    setConnect: (isEnabled) => act((scope) => setConnect(scope, isEnabled)),
    setSettlement: (currencies) => act((scope) => setSettlement(scope, currencies)),
    setSearch: (isOffered) => act((scope) => setSearch(scope, isOffered)),
    setPayoutInterval: (interval) => act((scope) => setPayoutInterval(scope, interval)),
    setLeastPayout: (amount) => act((scope) => setLeastPayout(scope, amount)),
    setClearing: (seconds) => act((scope) => setClearing(scope, seconds)),
    onboard: (id, how = "complete", currencies, country) =>
      act((scope) => void finishOnboarding(scope, id, how, { currencies, country })),
    restrict: (id, isRestricted, reason) =>
      act((scope) => void restrictAccount(scope, id, isRestricted, reason)),
    closeAccount: (id) => act((scope) => closeAccount(scope, id)),
    finishPayout: (id, failure) => act((scope) => void finishPayout(scope, id, failure)),
    advance: (seconds) => {
      time.ahead += seconds;
    },
    setSearchLag: (seconds) => {
      time.searchLag = seconds;
    },
    payments: () => structuredClone(store.begin().all("payment_intent")),
    events: (paymentIntentId) =>
      store
        .begin()
        .all("event")
        .filter(
          ({ data }) => paymentIntentId === undefined || concerns(data.object, paymentIntentId),
        )
        .map(({ id, type }) => ({ id, type })),
  };

  /** Whether a search finds the row yet. */
  function isIndexed(id: string): boolean {
    const work = store.begin();
    const row = work.find("payment_intent", id) ?? work.find("customer", id);
    return row !== undefined && row.created + time.searchLag <= now();
  }

  return { controls, act, now, isIndexed };
}

function concerns(object: unknown, paymentIntentId: string): boolean {
  const { id, payment_intent } = object as { id?: string; payment_intent?: string | null };
  return id === paymentIntentId || payment_intent === paymentIntentId;
}

/** A decline after the cardholder confirmed is a result, not a failure. */
function settleQuietly(finish: () => unknown): void {
  try {
    finish();
  } catch (cause) {
    if (!(cause instanceof StripeFailure) || cause.status !== 402) throw cause;
  }
}
