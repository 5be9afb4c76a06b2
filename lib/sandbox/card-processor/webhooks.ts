import { createHmac } from "node:crypto";
import type { Store, StoredEvent } from "./store.ts";

export type WebhookTarget = { url: string; secret: string };

export type Webhooks = {
  /** Stops sending by itself; events wait until `deliver` or `resume`. */
  pause: () => void;
  resume: () => void;
  /** Sends events in the order given, again and again if named again; the status each was answered with. */
  deliver: (eventIds: readonly string[]) => Promise<number[]>;
  /** Waits until nothing is owed, or the time is over; how many events are still owed. */
  drained: (timeoutMs?: number) => Promise<number>;
};

const FIRST_RETRY_MS = 200;
const LONGEST_RETRY_MS = 30_000;
const ANSWER_TIMEOUT_MS = 10_000;

/** The value of `Stripe-Signature` for a body, at a time in epoch seconds. */
function signPayload(payload: string, secret: string, at: number): string {
  const signature = createHmac("sha256", secret).update(`${at}.${payload}`).digest("hex");
  return `t=${at},v1=${signature}`;
}

/**
 * Sends events to one address, signed, at least once: what was not answered with 2xx is sent again, later
 * and later, also after a restart. Order is not promised.
 */
export function createWebhooks(
  store: Store,
  target: WebhookTarget | undefined,
  now: () => number,
): Webhooks & { wake: () => void; stop: () => Promise<void> } {
  let isPaused = false;
  let isStopped = false;
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let waitMs = FIRST_RETRY_MS;

  const owed = (): StoredEvent[] =>
    store
      .begin()
      .all("event")
      .filter(({ pending_webhooks: pending }) => pending > 0);

  async function send(event: StoredEvent): Promise<number> {
    if (!target) throw new Error("No webhook address was given.");
    const payload = JSON.stringify(event);
    const response = await fetch(target.url, {
      method: "POST",
      headers: {
        "content-type": "application/json; charset=utf-8",
        "stripe-signature": signPayload(payload, target.secret, now()),
      },
      body: payload,
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    await response.arrayBuffer();
    if (response.ok) {
      const work = store.begin();
      const current = work.find("event", event.id);
      if (current && current.pending_webhooks > 0) {
        work.put({ ...current, pending_webhooks: 0 });
        store.commit(work);
      }
    }
    return response.status;
  }

  async function round(): Promise<void> {
    let isRefused = false;
    for (const event of owed()) {
      if (isPaused || isStopped) return;
      const status = await send(event).catch(() => 0);
      if (status < 200 || status > 299) isRefused = true;
    }
    waitMs = isRefused ? Math.min(waitMs * 2, LONGEST_RETRY_MS) : FIRST_RETRY_MS;
  }

  function later(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(wake, ms);
    timer.unref();
  }

  function wake(): void {
    if (!target || isPaused || isStopped || running) return;
    running = round().finally(() => {
      running = null;
      // What was refused, and what came while the round ran.
      if (!isPaused && !isStopped && owed().length > 0) later(waitMs);
    });
  }

  return {
    wake,
    pause: () => {
      isPaused = true;
    },
    resume: () => {
      isPaused = false;
      wake();
    },
    async deliver(eventIds) {
      const statuses: number[] = [];
      for (const id of eventIds) {
        const event = store.begin().find("event", id);
        if (!event) throw new Error(`No such event: ${id}`);
        statuses.push(await send(event));
      }
      return statuses;
    },
    async drained(timeoutMs = 10_000) {
      const end = performance.now() + timeoutMs;
      while (owed().length > 0 && performance.now() < end) {
        wake();
        await new Promise((next) => setTimeout(next, 20));
      }
      return owed().length;
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
