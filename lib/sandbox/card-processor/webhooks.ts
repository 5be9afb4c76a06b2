import { Stripe } from "stripe";
import type { Store, StoredEvent } from "./store.ts";

export type WebhookTarget = {
  url: string;
  /** Signs what happens on the platform. */
  secret: string;
  /** Signs what happens on connected accounts: those events have an endpoint, and so a secret, of their own. */
  connectSecret: string;
  /** The types that are sent; all by default. */
  events?: readonly string[] | undefined;
};

const FIRST_RETRY_MS = 200;
const LONGEST_RETRY_MS = 30_000;
const ANSWER_TIMEOUT_MS = 10_000;

/** Signs and sends one event; a 2xx answer takes it off what is owed. */
function createSender(store: Store, target: WebhookTarget | undefined, now: () => number) {
  return {
    owed: () =>
      store
        .begin()
        .all("event")
        .filter(({ pending_webhooks: pending }) => pending > 0),
    async send(event: StoredEvent): Promise<number> {
      if (!target) throw new Error("No webhook address was given.");
      if (target.events && !target.events.includes(event.type)) {
        acknowledge(store, event.id);
        return 200;
      }
      const secret = event.account ? target.connectSecret : target.secret;
      const signed = { payload: JSON.stringify(event), secret, timestamp: now() };
      const response = await fetch(target.url, {
        method: "POST",
        headers: {
          "content-type": "application/json; charset=utf-8",
          "stripe-signature": Stripe.webhooks.generateTestHeaderString(signed),
        },
        body: signed.payload,
        signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
      });
      await response.arrayBuffer();
      if (response.ok) acknowledge(store, event.id);
      return response.status;
    },
  };
}

function acknowledge(store: Store, eventId: string): void {
  const work = store.begin();
  const current = work.find("event", eventId);
  if (!current || current.pending_webhooks === 0) return;
  work.put({ ...current, pending_webhooks: 0 });
  store.commit(work);
}

/**
 * Sends events to one address, signed, at least once. An event that is not answered with 2xx is sent again with
 * growing delays, also after a restart. The order is not guaranteed.
 */
export function createWebhooks(store: Store, target: WebhookTarget | undefined, now: () => number) {
  const { owed, send } = createSender(store, target, now);
  let isPaused = false;
  let isStopped = false;
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let waitMs = FIRST_RETRY_MS;

  async function round(): Promise<void> {
    let isRefused = false;
    for (const event of owed()) {
      if (isPaused || isStopped) return;
      const status = await send(event).catch(() => 0);
      if (status < 200 || status > 299) isRefused = true;
    }
    waitMs = isRefused ? Math.min(waitMs * 2, LONGEST_RETRY_MS) : FIRST_RETRY_MS;
  }

  function wake(): void {
    if (!target || isPaused || isStopped || running) return;
    running = round().finally(() => {
      running = null;
      if (isPaused || isStopped || owed().length === 0) return;
      clearTimeout(timer);
      timer = setTimeout(wake, waitMs);
      timer.unref();
    });
  }

  return {
    wake,
    owed,
    send,
    /** Stops sending, or goes on: events wait meanwhile. */
    pause(isWanted: boolean) {
      isPaused = isWanted;
      wake();
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
