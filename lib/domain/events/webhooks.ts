import {
  EVENT_CATALOG,
  hasRight,
  PaymentsError,
  type WebhookDelivery,
  type WebhookEndpoint,
} from "@turnpike/payments/protocol";
import { auditNote, type Context, invalid, notFound, requireCaller } from "../context.ts";
import { pageAnswer } from "../page-answer.ts";
import { untilWritten } from "../plans/edit.ts";
import { requireChange } from "../require-change.ts";
import type { Verb } from "../verb.ts";
import type { EndpointRecord, ListedDelivery } from "./event-ports.ts";
import { eventAnswer, eventId, sequenceOf } from "./events.ts";
import { earlierHints, newSecret, overlapOf } from "./webhook-secrets.ts";

const MAX_ENDPOINTS = 20;
const MAX_REPLAYED = 10_000;
/** The measures of alerts know it. */
const BY_OWNER = "You disabled it.";

/** Adds an endpoint. Only this answer shows its signing secret. */
export const createWebhookEndpoint: Verb<"createWebhookEndpoint"> = async (
  context,
  { url, events },
) => {
  const { account } = requireCaller(context);
  const { webhooks, crypto, clock } = context.ports;
  requireUrl(context, url);
  requireKnown(events);
  const endpointId = `we_${crypto.randomId()}`;
  const { shown, sealed } = newSecret(context, endpointId);
  const createdAt = await clock.now();
  const endpoint: EndpointRecord = {
    endpointId,
    account,
    url,
    events,
    state: "active",
    disabledReason: null,
    disabledAt: null,
    disabledSequence: null,
    ...sealed,
    secretAt: createdAt,
    previousSecret: null,
    previousHint: null,
    previousUntil: null,
    olderSecrets: [],
    createdAt,
  };
  const note = auditNote(context, "webhook-endpoint.create", endpointId);
  if (!(await webhooks.insert(endpoint, MAX_ENDPOINTS, note))) {
    throw new PaymentsError("conflict", `An account has at most ${MAX_ENDPOINTS} endpoints.`, {
      hint: "Remove one first.",
    });
  }
  return { ...(await endpointAnswer(context, endpoint)), secret: shown };
};

export const listWebhookEndpoints: Verb<"listWebhookEndpoints"> = async (
  context,
  { withoutFigures },
) => {
  const endpoints = await context.ports.webhooks.list(requireCaller(context).account);
  const answer = withoutFigures ? endpointAnswer : answerWithFigures;
  return { items: await Promise.all(endpoints.map((endpoint) => answer(context, endpoint))) };
};

export const getWebhookEndpoint: Verb<"getWebhookEndpoint"> = async (context, { endpointId }) =>
  answerWithFigures(context, await getOwn(context, endpointId));

export const updateWebhookEndpoint: Verb<"updateWebhookEndpoint"> = async (context, input) => {
  const { endpointId, url, events, status } = input;
  const endpoint = await getOwn(context, endpointId);
  requireChange("updateWebhookEndpoint", input);
  if (url !== undefined) requireUrl(context, url);
  if (events !== undefined) requireKnown(events);
  const { webhooks, clock, events: log } = context.ports;
  const paused = {
    disabledReason: BY_OWNER,
    disabledAt: await clock.now(),
    disabledSequence: await log.head(endpoint.account),
  };
  const resumed = { disabledReason: null, disabledAt: null, disabledSequence: null };
  const isChanged = status !== undefined && status !== endpoint.state;
  await webhooks.update(
    endpointId,
    {
      ...(url !== undefined && { url }),
      ...(events !== undefined && { events }),
      ...(isChanged && { state: status, ...(status === "active" ? resumed : paused) }),
      // One that deliveries disabled: its owner means it so, and its alert closes.
      ...(status === "disabled" && { disabledReason: BY_OWNER }),
    },
    auditNote(context, "webhook-endpoint.update", endpointId),
  );
  return endpointAnswer(context, await getOwn(context, endpointId));
};

export const deleteWebhookEndpoint: Verb<"deleteWebhookEndpoint"> = async (
  context,
  { endpointId },
) => {
  await getOwn(context, endpointId);
  const note = auditNote(context, "webhook-endpoint.delete", endpointId);
  await context.ports.webhooks.delete(endpointId, note);
  return { success: true } as const;
};

/** Queues a test event; it goes to this endpoint whatever its filter is. */
export const testWebhookEndpoint: Verb<"testWebhookEndpoint"> = async (context, { endpointId }) => {
  const endpoint = await getOwn(context, endpointId);
  requireActive(endpoint);
  const note = auditNote(context, "webhook-endpoint.test", endpointId);
  await context.ports.webhooks.queueTest(endpoint, note);
  return { success: true } as const;
};

/** A new secret; those before it also sign until their end, so that receivers can change over. */
export const rotateWebhookSecret: Verb<"rotateWebhookSecret"> = (
  context,
  { endpointId, ...overlap },
) =>
  untilWritten(async () => {
    const { webhooks, clock } = context.ports;
    const endpoint = await getOwn(context, endpointId);
    const now = await clock.now();
    const { shown, sealed } = newSecret(context, endpointId);
    const changes = { ...sealed, secretAt: now, ...overlapOf(endpoint, overlap, now) };
    const note = auditNote(context, "webhook-endpoint.rotate", endpointId);
    if (!(await webhooks.rotate(endpoint, changes, note))) return null;
    return { ...(await endpointAnswer(context, await getOwn(context, endpointId))), secret: shown };
  });

export const listWebhookDeliveries: Verb<"listWebhookDeliveries"> = async (
  context,
  { endpointId, ...query },
) => {
  const endpoint = await getOwn(context, endpointId);
  const page = await context.ports.webhooks.listDeliveries(endpointId, query);
  const items = await Promise.all(page.items.map((row) => deliveryAnswer(context, endpoint, row)));
  return pageAnswer({ ...page, items: items.filter((item) => item !== null) }, query);
};

export const replayWebhookDelivery: Verb<"replayWebhookDelivery"> = async (
  context,
  { endpointId, deliveryId },
) => {
  const endpoint = await getOwn(context, endpointId);
  requireActive(endpoint);
  const { events, webhooks } = context.ports;
  const from = sequenceOf(deliveryId) ?? 0;
  const event = await events.find(endpoint.account, from);
  if (!event || eventId(event) !== deliveryId) throw notFound("delivery", deliveryId);
  await webhooks.replay(endpoint, { from, to: from, isForced: true });
  return { success: true } as const;
};

export const replayWebhookEvents: Verb<"replayWebhookEvents"> = async (
  context,
  { endpointId, fromSequence: from, toSequence: to },
) => {
  const endpoint = await getOwn(context, endpointId);
  requireActive(endpoint);
  if (to < from) throw badRange("The range ends before it begins.");
  if (to - from >= MAX_REPLAYED) {
    throw badRange(`Replay at most ${MAX_REPLAYED.toLocaleString("en")} events.`);
  }
  const events = await context.ports.webhooks.replay(endpoint, { from, to, isForced: false });
  return { events };
};

/** Either end may be the wrong one. */
const badRange = (message: string): PaymentsError =>
  new PaymentsError("invalid_input", message, {
    details: ["fromSequence", "toSequence"].map((path) => ({ path, message })),
  });

async function getOwn(context: Context, endpointId: string): Promise<EndpointRecord> {
  const { account } = requireCaller(context);
  const endpoint = await context.ports.webhooks.find(account, endpointId);
  if (!endpoint) throw notFound("webhook endpoint", endpointId);
  return endpoint;
}

function requireActive({ state }: EndpointRecord): void {
  if (state === "active") return;
  throw new PaymentsError("conflict", "The endpoint is disabled.", { hint: "Enable it first." });
}

function requireUrl({ ports }: Context, url: string): void {
  const fault = ports.webhookUrlFault?.(url);
  if (fault) throw invalid("url", fault);
}

const KNOWN = new Set(
  Object.keys(EVENT_CATALOG).flatMap((type) => ["*", `${type.split(".")[0]}.*`, type]),
);

/** A misspelled type would never match an event. */
function requireKnown(events: readonly string[]): void {
  const unknown = events.find((type) => !KNOWN.has(type));
  if (unknown) throw invalid("events", `“${unknown}” is not a type of event.`);
}

async function answerWithFigures(
  context: Context,
  endpoint: EndpointRecord,
): Promise<WebhookEndpoint> {
  const [answer, { medianMs, ...counts }] = await Promise.all([
    endpointAnswer(context, endpoint),
    context.ports.webhooks.counts(endpoint.endpointId),
  ]);
  const median = medianMs !== null && { medianMs: Math.round(medianMs) };
  return { ...answer, deliveries: { ...counts, ...median } };
}

/** An endpoint without its figures: a change ends on the connections of payments, and must not count deliveries there. */
async function endpointAnswer(
  context: Context,
  endpoint: EndpointRecord,
): Promise<WebhookEndpoint> {
  const { events, clock } = context.ports;
  const caller = requireCaller(context);
  const { endpointId, disabledAt } = endpoint;
  const readsPath =
    caller.keyId === null || hasRight(caller.rights, { scope: "keys", level: "read" });
  const [lastSequence, now] = await Promise.all([events.head(endpoint.account), clock.now()]);
  return {
    endpointId,
    // A path can hold a secret.
    url: readsPath ? endpoint.url : new URL(endpoint.url).origin,
    events: endpoint.events,
    status: endpoint.state,
    ...(disabledAt && {
      disabled: {
        reason: endpoint.disabledReason ?? "",
        at: disabledAt.toISOString(),
        fromSequence: (endpoint.disabledSequence ?? 0) + 1,
      },
    }),
    secret: { hint: endpoint.secretHint, createdAt: endpoint.secretAt.toISOString() },
    ...earlierHints(endpoint, now),
    createdAt: endpoint.createdAt.toISOString(),
    lastSequence,
  };
}

/** Null for a delivery whose event was deleted with age: an event's hash is part of its id. */
async function deliveryAnswer(
  { ports: { events } }: Context,
  { state }: EndpointRecord,
  delivery: ListedDelivery,
): Promise<WebhookDelivery | null> {
  const { account, sequence, waitsFor } = delivery;
  const event = await events.find(account, sequence);
  if (!event) return null;
  const first = waitsFor === null ? null : await events.find(account, waitsFor);
  const isNext = delivery.state === "waiting" && waitsFor === null && state === "active";
  return {
    deliveryId: eventId(event),
    status: delivery.state,
    event: eventAnswer(event),
    subject: delivery.subject,
    tries: delivery.tries,
    attempts: delivery.attempts,
    createdAt: delivery.createdAt.toISOString(),
    ...(delivery.deliveredAt && { deliveredAt: delivery.deliveredAt.toISOString() }),
    ...(isNext && { nextTryAt: delivery.dueAt.toISOString() }),
    ...(first && { waitsFor: eventId(first) }),
  };
}
