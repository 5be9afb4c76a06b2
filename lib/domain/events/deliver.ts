import type { Outbound, OutboundRequest } from "../outbound-ports.ts";
import type { Ports } from "../ports.ts";
import type { DeliveryTry, DueDelivery, EndpointRecord, EventRecord } from "./event-ports.ts";
import { eventAnswer, eventId } from "./events.ts";
import { earlierSecrets } from "./webhook-secrets.ts";

/** How long after a failed try the next one is: nine tries in three days. */
const RETRY_SECS: readonly number[] = [5, 300, 1_800, 7_200, 18_000, 36_000, 72_000, 122_000];
const ANSWER_MS = 10_000;
const ANSWER_BYTES = 4_096;
const KEPT_ANSWER = 1_024;
/** Longer than a try can take, so that a replica that still sends is not overtaken. */
const LEASE_SECS = 40;
/** Deliveries at once in this process. */
const MOST = { endpoint: 5, account: 20, all: 200 };
/** How long a round waits for a place to become free before it looks for other endpoints' deliveries. */
const ROUND_MS = 250;

type Parts = {
  ports: Pick<Ports, "webhooks" | "crypto" | "clock" | "log" | "pause">;
  outbound: Outbound;
  /** The machine's clock, which receivers compare signatures with. */
  now?: () => Date;
  /** How long a receiver may take. */
  answerMs?: number;
};

/**
 * Sends what is due, each endpoint at its own pace. `run` begins what there is to begin and does not wait for it;
 * `idle` waits until nothing is under way.
 */
export function createDeliveries(parts: Parts) {
  const { ports } = parts;
  const busy = new Map<string, { account: string; n: number }>();
  const underWay = new Set<Promise<void>>();
  const stopping = new AbortController();
  const add = ({ endpointId, account }: DueDelivery, more: number) => {
    const n = (busy.get(endpointId)?.n ?? 0) + more;
    if (n > 0) busy.set(endpointId, { account, n });
    else busy.delete(endpointId);
  };

  const begin = (due: DueDelivery) => {
    add(due, 1);
    const sent = deliver(due)
      .catch((cause) => {
        // The lease ends, and the delivery is due again.
        ports.log.warn({ endpointId: due.endpointId, cause: String(cause) }, "delivery not noted");
      })
      .finally(() => {
        add(due, -1);
        underWay.delete(sent);
      });
    underWay.add(sent);
  };

  async function deliver(due: DueDelivery): Promise<void> {
    const { webhooks } = ports;
    const { event, endpoint } = due;
    if (!event) return failWithoutEvent(ports, due);
    const signal = AbortSignal.any([stopping.signal]);
    const last = await sendOnce(parts, { event, endpoint }, signal);
    if (last.status !== undefined && last.status >= 200 && last.status < 300) {
      await webhooks.finish(due, { delivered: true, last });
      return;
    }
    // What a stop broke off is sent again once its lease has ended.
    if (stopping.signal.aborted) return;
    const isGone = last.status === 410;
    const retrySecs = isGone ? null : (RETRY_SECS[due.attempts] ?? null);
    const why = isGone
      ? "It returned 410 Gone."
      : `An event was not delivered in ${due.attempts + 1} attempts. The last one: ${last.error ?? `HTTP ${last.status}`}.`;
    const disables = retrySecs === null ? why : null;
    await webhooks.finish(due, { delivered: false, last, retrySecs, disables });
  }

  async function idle(): Promise<void> {
    while (underWay.size > 0) await Promise.all(underWay);
  }

  return {
    async run(): Promise<number> {
      const draw = ports.crypto.randomId();
      const due = await ports.webhooks.lease({ busy, most: MOST, leaseSecs: LEASE_SECS, draw });
      for (const delivery of due) begin(delivery);
      if (underWay.size > 0) await Promise.race([...underWay, ports.pause(ROUND_MS)]);
      return underWay.size + due.length;
    },
    idle,
    /** Breaks off what is under way. */
    async stop(): Promise<void> {
      stopping.abort();
      await idle();
    },
  };
}

/** Ends a delivery whose event was deleted just when it was sent again: later ones of its subject would wait for it. */
async function failWithoutEvent({ webhooks, clock, log }: Parts["ports"], due: DueDelivery) {
  const { endpointId, sequence } = due;
  log.warn({ endpointId, sequence }, "the event of a delivery no longer exists");
  const at = (await clock.now()).toISOString();
  const error = "The event was deleted before it was sent.";
  const last = { at, ms: 0, error, headers: {} };
  await webhooks.finish(due, { delivered: false, last, retrySecs: null, disables: null });
}

/** Signs one delivery, sends it and says what came back. */
async function sendOnce(
  { ports, outbound, now = () => new Date(), answerMs = ANSWER_MS }: Parts,
  { endpoint, event }: { endpoint: EndpointRecord; event: EventRecord },
  signal: AbortSignal,
): Promise<DeliveryTry> {
  const body = JSON.stringify(eventAnswer(event));
  const at = now();
  const id = eventId(event);
  const timestamp = Math.floor(at.getTime() / 1000);
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": await signatures(ports, endpoint, `${id}.${timestamp}.${body}`),
  };
  const heard = await exchange(outbound, {
    account: endpoint.endpointId,
    url: endpoint.url,
    headers: { ...headers, "content-type": "application/json" },
    body,
    totalMs: answerMs,
    silentMs: answerMs,
    signal,
  });
  return { at: at.toISOString(), headers, ...heard };
}

/** One signature by each secret that signs now, in the form of the header. */
async function signatures(
  { crypto, clock }: Parts["ports"],
  endpoint: EndpointRecord,
  message: string,
): Promise<string> {
  const secrets = [endpoint, ...earlierSecrets(endpoint, await clock.now())];
  const place = { purpose: "webhook-secret", row: endpoint.endpointId };
  return secrets.map(({ secret }) => `v1,${crypto.signWebhook(message, secret, place)}`).join(" ");
}

type Sending = Pick<
  OutboundRequest,
  "account" | "url" | "headers" | "body" | "totalMs" | "silentMs" | "signal"
>;

/** One request; what came back, bounded. A success needs its status alone: the body may be anything. */
async function exchange(
  outbound: Outbound,
  sending: Sending,
): Promise<Pick<DeliveryTry, "ms" | "status" | "error" | "answer">> {
  const decoder = new TextDecoder();
  let status: number | undefined;
  let answer = "";
  for await (const event of outbound.send({
    ...sending,
    method: "POST",
    maxBytes: ANSWER_BYTES,
  })) {
    if (event.type === "headers") status = event.status;
    if (event.type === "chunk") answer += decoder.decode(event.bytes, { stream: true });
    if (event.type === "end") return answerOf({ ms: event.ms, status, answer });
    if (event.type === "refused" || event.type === "failed") {
      return answerOf({ ms: event.ms, status, answer, error: event.message });
    }
  }
  return { ms: 0, error: "The request ended without an outcome." };
}

function answerOf(heard: {
  ms: number;
  status: number | undefined;
  answer: string;
  error?: string;
}): Pick<DeliveryTry, "ms" | "status" | "error" | "answer"> {
  const { ms, status } = heard;
  const isRedirect = status !== undefined && status >= 300 && status < 400;
  const error = isRedirect ? "Redirects are not followed. Enter the final URL." : heard.error;
  // What the database cannot hold, and what no one can read.
  const answer = [...heard.answer.slice(0, KEPT_ANSWER).toWellFormed()]
    .filter((character) => character >= " " || "\n\t".includes(character))
    .join("");
  return {
    ms,
    ...(status !== undefined && { status }),
    ...(error !== undefined && { error }),
    ...(answer && { answer }),
  };
}
