import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Stripe } from "stripe";
import { z } from "zod";
import { finishPayment } from "./confirm-payment.ts";
import { endDispute, openDispute } from "./disputes.ts";
import { createFaults, type Faults } from "./faults.ts";
import { answerHolder, holderPath } from "./holder-page.ts";
import { createDoor } from "./http-door.ts";
import { finishRefund } from "./refunds.ts";
import { createRoutes } from "./routes.ts";
import { createEmitter, find, type Scope } from "./scope.ts";
import { finishSetup } from "./setup-intents.ts";
import { openStore } from "./store.ts";
import { StripeFailure } from "./stripe-failure.ts";
import { DECLINES, type DeclineName } from "./test-cards.ts";
import { createWebhooks, type Webhooks, type WebhookTarget } from "./webhooks.ts";

export type EmbeddedProcessorOptions = {
  /** Where its books are kept. One process at a time. */
  dataDir: string;
  /** A free port of the loopback address when left out. */
  port?: number;
  /** Where events are sent; without it they can only be listed. */
  webhook?: { url: string; secret?: string };
};

/** What nobody can do over the API: holders, banks and time. */
export type Controls = {
  /** The holder confirms, or refuses, a payment or setup that waits for it. */
  authenticate: (intentId: string, isConfirmed?: boolean) => void;
  /** From now on the card's charges are declined like this; `null` lets them pass. */
  declineCard: (paymentMethodId: string, decline: DeclineName | null) => void;
  /** The card's last month is over. */
  expireCard: (paymentMethodId: string) => void;
  openDispute: (paymentIntentId: string, reason?: string) => string;
  endDispute: (disputeId: string, status: "won" | "lost") => void;
  finishRefund: (refundId: string, status: "succeeded" | "failed") => void;
  /** Moves the processor's clock on: idempotency keys are forgotten after a day. */
  advance: (seconds: number) => void;
  /** How many seconds a search lags behind the books; 0 at first. */
  setSearchLag: (seconds: number) => void;
  /** Every payment it has, the oldest first. */
  payments: () => Stripe.PaymentIntent[];
  /** Ids of events, the oldest first; of one payment's or all. */
  events: (paymentIntentId?: string) => { id: string; type: string }[];
};

export type EmbeddedProcessor = {
  apiBase: string;
  secretKey: string;
  publishableKey: string;
  webhookSecret: string;
  /** Where a card's holder confirms a payment or setup. */
  confirmationUrlOf: (intentId: string, clientSecret: string) => string;
  faults: Faults;
  webhooks: Webhooks;
  controls: Controls;
  stop: () => Promise<void>;
};

/**
 * Starts a card processor that speaks Stripe's HTTP on the loopback address: the sandbox's stand-in, so that the
 * code that charges cards is the same everywhere. It keeps its books in a folder; what it acknowledged survives a
 * kill. Nothing it answers is a real card, and no card number is kept.
 *
 * @example const processor = await startEmbeddedProcessor({ dataDir: join(dataDir, "cards") });
 */
export async function startEmbeddedProcessor(
  options: EmbeddedProcessorOptions,
): Promise<EmbeddedProcessor> {
  const { dataDir, webhook } = options;
  mkdirSync(dataDir, { recursive: true });
  const keys = loadKeys(dataDir);
  const webhookSecret = webhook?.secret ?? keys.webhookSecret;
  const target: WebhookTarget | undefined = webhook && { url: webhook.url, secret: webhookSecret };
  const store = openStore(dataDir);
  const faults = createFaults();
  let ahead = 0;
  let searchLag = 0;
  const now = () => Math.floor(Date.now() / 1000) + ahead;
  const isIndexed = (id: string) => {
    const work = store.begin();
    const row = work.find("payment_intent", id) ?? work.find("customer", id);
    return row !== undefined && row.created + searchLag <= now();
  };
  const hasWebhook = target !== undefined;
  const webhooks = createWebhooks(store, target, () => Math.floor(Date.now() / 1000));
  const desk = { store, keys, findRoute: createRoutes(isIndexed), hasWebhook, now };
  const server = createDoor(
    desk,
    faults,
    () => webhooks.wake(),
    (asked) => answerHolder(act, asked),
  );
  await new Promise<void>((started, failed) => {
    server.once("error", failed);
    server.listen(options.port ?? 0, "127.0.0.1", () => started());
  });
  webhooks.wake();

  /** Does something outside the API, with its events. */
  function act<T>(work: (scope: Scope) => T): T {
    const unit = store.begin();
    const at = now();
    const emit = createEmitter(unit, {
      now: at,
      requestId: null,
      idempotencyKey: null,
      hasWebhook,
    });
    const scope: Scope = { work: unit, params: {}, ids: [], now: at, isPublic: false, emit };
    const result = work(scope);
    store.commit(unit);
    webhooks.wake();
    return result;
  }

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
        scope.work.put(card);
        scope.emit("payment_method.automatically_updated", card);
      }),
    openDispute: (id, reason) => act((scope) => openDispute(scope, id, reason).id),
    endDispute: (id, status) => act((scope) => void endDispute(scope, id, status)),
    finishRefund: (id, status) => act((scope) => void finishRefund(scope, id, status)),
    advance: (seconds) => {
      ahead += seconds;
    },
    setSearchLag: (seconds) => {
      searchLag = seconds;
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

  const { port } = server.address() as AddressInfo;
  const apiBase = `http://127.0.0.1:${port}`;
  return {
    apiBase,
    confirmationUrlOf: (intentId, secret) => `${apiBase}${holderPath(intentId, secret)}`,
    secretKey: keys.secretKey,
    publishableKey: keys.publishableKey,
    webhookSecret,
    faults,
    webhooks,
    controls,
    async stop() {
      await webhooks.stop();
      await new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      });
      store.close();
    },
  };
}

function concerns(object: unknown, paymentIntentId: string): boolean {
  const { id, payment_intent } = object as { id?: string; payment_intent?: string | null };
  return id === paymentIntentId || payment_intent === paymentIntentId;
}

/** A card that is declined after its holder confirmed is an end like any other. */
function settleQuietly(finish: () => unknown): void {
  try {
    finish();
  } catch (cause) {
    if (!(cause instanceof StripeFailure) || cause.status !== 402) throw cause;
  }
}

const Keys = z.object({
  secretKey: z.string(),
  publishableKey: z.string(),
  webhookSecret: z.string(),
});

/** Keys of its own, made at the first start. */
function loadKeys(dataDir: string): z.output<typeof Keys> {
  const path = join(dataDir, "keys.json");
  if (existsSync(path)) return Keys.parse(JSON.parse(readFileSync(path, "utf8")));
  const random = () => randomBytes(24).toString("hex");
  const keys = {
    secretKey: `sk_test_${random()}`,
    publishableKey: `pk_test_${random()}`,
    webhookSecret: `whsec_${random()}`,
  };
  writeFileSync(path, JSON.stringify(keys), { mode: 0o600 });
  return keys;
}
