import * as z from "zod/mini";
import { AccountEvent } from "../events/event.ts";
import { PageQuery, pageOf } from "../listing.ts";
import { Count, Flag, mapOf, WebUrl } from "../primitives.ts";
import { samplePage } from "./examples.ts";
import { defineCalls, serveCalls } from "./operation.ts";
import { Done } from "./shared.ts";

const Id = z.string().check(z.maxLength(64));
/** A secret that was rotated out, by its end. */
const EarlierSecret = z.object({ hint: z.string(), expiresAt: z.string() });
const EndpointRef = z.object({ endpointId: Id });

/** Which events an endpoint gets: types, `order.*` for a group, `*` for all. */
const EventFilter = z
  .array(
    z
      .string()
      .check(
        z.maxLength(64),
        z.regex(
          /^(\*|[a-z_]+\.(\*|[a-z_]+))$/,
          'Expected a type such as "order.completed", a group such as "order.*", or "*".',
        ),
      ),
  )
  .check(z.minLength(1), z.maxLength(50));

/** Where events are sent. Secrets are shown once; `hint` is the end of one. */
export const WebhookEndpoint = z.object({
  endpointId: z.string(),
  /** Without its path for keys that lack `keys:read`: a path can hold a secret. */
  url: z.string(),
  events: z.array(z.string()),
  status: z.enum(["active", "disabled"]),
  /** Why it is disabled, since when, and the first event that was not sent. */
  disabled: z.optional(z.object({ reason: z.string(), at: z.string(), fromSequence: z.int() })),
  secret: z.object({ hint: z.string(), createdAt: z.string() }),
  /** Also signs until `expiresAt`. */
  previousSecret: z.optional(EarlierSecret),
  /** Those before it that also sign, each until its `expiresAt`; the newest first. */
  olderSecrets: z.optional(z.array(EarlierSecret)),
  createdAt: z.string(),
  /**
   * What was delivered in the last seven days with the median time of an answer, and all deliveries that wait or failed. Left
   * out of answers to changes.
   */
  deliveries: z.optional(
    z.object({
      delivered: z.int(),
      waiting: z.int(),
      failed: z.int(),
      medianMs: z.optional(z.number()),
    }),
  ),
  /** The number of your newest event. */
  lastSequence: z.int(),
});
export type WebhookEndpoint = z.output<typeof WebhookEndpoint>;

const WithSecret = z.extend(WebhookEndpoint, { secret: z.string() });

/** One event for one endpoint, with its latest tries. */
export const WebhookDelivery = z.object({
  /** The event's id. */
  deliveryId: z.string(),
  status: z.enum(["waiting", "delivered", "failed"]),
  event: AccountEvent,
  /** What waits until an older event about the same subject is delivered. */
  subject: z.string(),
  tries: z.array(
    z.object({
      at: z.string(),
      ms: z.number(),
      status: z.optional(z.int()),
      error: z.optional(z.string()),
      answer: z.optional(z.string()),
      /** What was sent in addition to the event. */
      headers: mapOf(z.string()),
    }),
  ),
  attempts: z.int(),
  createdAt: z.string(),
  deliveredAt: z.optional(z.string()),
  /** Absent while it waits for another delivery, or for its endpoint to be enabled. */
  nextTryAt: z.optional(z.string()),
  /** The delivery about the same subject that is sent before this one. */
  waitsFor: z.optional(z.string()),
});
export type WebhookDelivery = z.output<typeof WebhookDelivery>;

/** A number, or the id of an event, which is compared with the event of that number. */
const After = z.string().check(z.regex(/^(\d{1,15}|evt_\d{1,15}_[0-9a-f]{16})$/, "Not an event."));

export const webhooks = /* @__PURE__ */ defineCalls({
  /**
   * Adds an endpoint. Its signing secret is in this answer only.
   *
   * @example const { endpointId, secret } = await payments.webhooks.createWebhookEndpoint({ url, events: ["*"] })
   */
  createWebhookEndpoint: {
    route: "POST /webhook-endpoints",
    // A misnamed field is refused: without `events`, the endpoint gets all.
    input: z.strictObject({ url: WebUrl, events: z._default(EventFilter, ["*"]) }),
    output: WithSecret,
  },
  /** Lists your endpoints, the oldest first. */
  listWebhookEndpoints: {
    route: "GET /webhook-endpoints",
    input: z.object({ withoutFigures: Flag }),
    output: z.object({ items: z.array(WebhookEndpoint) }),
  },
  /** Gets one endpoint. */
  getWebhookEndpoint: {
    route: "GET /webhook-endpoints/:endpointId",
    args: (endpointId: string) => ({ endpointId }),
    input: EndpointRef,
    output: WebhookEndpoint,
  },
  /** Changes an endpoint, disables it or enables it again. Events from its pause are sent by a replay. */
  updateWebhookEndpoint: {
    route: "PUT /webhook-endpoints/:endpointId",
    input: z.extend(EndpointRef, {
      url: z.optional(WebUrl),
      events: z.optional(EventFilter),
      status: z.optional(z.enum(["active", "disabled"])),
    }),
    output: WebhookEndpoint,
  },
  /** Removes an endpoint with its delivery log. */
  deleteWebhookEndpoint: {
    route: "DELETE /webhook-endpoints/:endpointId",
    args: (endpointId: string) => ({ endpointId }),
    input: EndpointRef,
    output: Done,
  },
  /** Sends a `webhook_endpoint.test` event, whatever the endpoint's filter. */
  testWebhookEndpoint: {
    route: "POST /webhook-endpoints/:endpointId/test",
    args: (endpointId: string) => ({ endpointId }),
    input: EndpointRef,
    output: Done,
  },
  /**
   * Makes a new signing secret. The old one also signs for `overlapSecs`, a day by default; with 0, it and all before it stop
   * signing. Throws `conflict` when five secrets sign already.
   */
  rotateWebhookSecret: {
    route: "POST /webhook-endpoints/:endpointId/rotate-secret",
    input: z.extend(EndpointRef, {
      overlapSecs: z._default(z.pipe(Count, z.number().check(z.maximum(604_800))), 86_400),
    }),
    output: WithSecret,
  },
  /** Lists an endpoint's deliveries, newest first. */
  listWebhookDeliveries: {
    route: "GET /webhook-endpoints/:endpointId/deliveries",
    input: z.extend(PageQuery, {
      ...EndpointRef.shape,
      status: z.optional(z.enum(["waiting", "delivered", "failed"])),
      type: z.optional(Id),
    }),
    output: pageOf(WebhookDelivery),
  },
  /** Sends one event again, under its id. */
  replayWebhookDelivery: {
    route: "POST /webhook-endpoints/:endpointId/deliveries/:deliveryId/replay",
    repeatable: true,
    input: z.extend(EndpointRef, { deliveryId: Id }),
    output: Done,
  },
  /** Sends the events of a range again that the endpoint's filter names, at most 10,000, under their ids. */
  replayWebhookEvents: {
    route: "POST /webhook-endpoints/:endpointId/replay",
    repeatable: true,
    input: z.extend(EndpointRef, { fromSequence: Count, toSequence: Count }),
    output: z.object({ events: z.int() }),
  },
  /**
   * Lists your events after a number or an event's id, the oldest first. Throws `conflict` when the history does not
   * have that event: the service was restored from an older copy.
   */
  listEvents: {
    route: "GET /events",
    input: z.object({
      after: z._default(After, "0"),
      limit: z._default(z.pipe(Count, z.number().check(z.minimum(1), z.maximum(500))), 100),
    }),
    output: z.object({
      items: z.array(AccountEvent),
      /** The number of your newest event. */
      lastSequence: z.int(),
      /** The last event that was deleted with age: the `previousHash` of the oldest one that is kept is its `hash`. */
      cut: z.optional(z.object({ sequence: z.int(), hash: z.string() })),
    }),
  },
});

export const webhookOperations = /* @__PURE__ */ serveCalls(
  { name: "webhooks", section: "Events and webhooks", scope: "activity" },
  webhooks,
  {
    // An endpoint gets events of everything: a key that only looks back must not send them elsewhere.
    createWebhookEndpoint: {
      summary: "Add a webhook endpoint",
      scope: "keys",
      stepUp: true,
      sample: () => ({ url: "https://builder.example/hooks", events: ["order.*"] }),
    },
    listWebhookEndpoints: {
      summary: "List webhook endpoints",
      sample: () => ({ withoutFigures: false }),
    },
    getWebhookEndpoint: { summary: "Get a webhook endpoint" },
    updateWebhookEndpoint: {
      summary: "Change, disable or enable a webhook endpoint",
      scope: "keys",
      stepUp: true,
      sample: ({ spare }) => ({
        endpointId: spare.endpointId,
        url: "https://builder.example/hooks",
        events: ["*"],
        status: "active",
      }),
    },
    deleteWebhookEndpoint: {
      summary: "Remove a webhook endpoint",
      scope: "keys",
      sample: ({ spare }) => ({ endpointId: spare.endpointToDeleteId }),
    },
    testWebhookEndpoint: { summary: "Send a test event" },
    rotateWebhookSecret: {
      summary: "Rotate a signing secret",
      scope: "keys",
      stepUp: true,
      sample: ({ spare }) => ({ endpointId: spare.endpointId, overlapSecs: 60 }),
    },
    listWebhookDeliveries: {
      summary: "List deliveries, newest first",
      sample: ({ spare }) => ({
        ...samplePage,
        endpointId: spare.endpointId,
        status: "waiting",
        type: "order.completed",
      }),
    },
    replayWebhookDelivery: { summary: "Send one event again" },
    replayWebhookEvents: {
      summary: "Send a range of events again",
      sample: ({ spare }) => ({ endpointId: spare.endpointId, fromSequence: 1, toSequence: 2 }),
    },
    listEvents: {
      summary: "List events, the oldest first",
      sample: () => ({ after: "1", limit: 5 }),
    },
  },
);
