import * as z from "zod/mini";
import { SignedStatement, SigningKey } from "../offer-receipt/signed.ts";
import { Count } from "../primitives.ts";
import type { Examples } from "./examples.ts";
import { defineCalls, serveCalls } from "./operation.ts";
import { Nothing } from "./shared.ts";

/** How old a list of agents may be, in seconds: its figures are of 30 days. */
const CATALOG_SECS = 5;
/** Keys change when an operator rotates them. */
const KEYS_SECS = 300;

const Word = z.optional(z.string().check(z.maxLength(200)));
/** A `PaymentOffer`, spelled here: the client loads this module on demand, and its entry has that one. */
const Offer = z.object({
  scheme: z.string().check(z.maxLength(64)),
  network: Word,
  planId: Word,
  amount: Word,
  asset: Word,
  payTo: Word,
  maxTimeoutSeconds: z.optional(z.number()),
  extra: z.optional(z.looseObject({ planId: Word, agentId: Word, httpVerb: Word })),
});
const Limit = z._default(z.pipe(Count, z.number().check(z.minimum(1), z.maximum(100))), 20);
/** The filters of x402's `bazaar`: each item of the answer has the given value. */
const filters = {
  type: Word,
  payTo: Word,
  scheme: Word,
  network: Word,
  extensions: Word,
  limit: Limit,
};

/** A paid endpoint as x402's discovery lists it, with what was measured of it in `extensions.measured`. */
export const DiscoveredResource = z.object({
  resource: z.string(),
  type: z.enum(["http", "mcp"]),
  x402Version: z.literal(2),
  /** Offers of its plans. The 402 of the endpoint itself decides. */
  accepts: z.array(Offer),
  /** ISO 8601. */
  lastUpdated: z.string(),
  description: z.optional(z.string()),
  serviceName: z.optional(z.string()),
  tags: z.optional(z.array(z.string())),
  extensions: z.looseObject({}),
});
export type DiscoveredResource = z.output<typeof DiscoveredResource>;

/** What the order of a list rests on. */
const Ranking = z.string();

export const discovery = /* @__PURE__ */ defineCalls({
  /** Lists paid endpoints on sale, the best measured first (x402 `bazaar`). */
  listResources: {
    route: "GET /x402/discovery/resources",
    input: z.object({
      ...filters,
      query: Word,
      offset: z._default(z.pipe(Count, z.number().check(z.maximum(100_000))), 0),
    }),
    output: z.object({
      x402Version: z.literal(2),
      items: z.array(DiscoveredResource),
      pagination: z.object({ limit: z.number(), offset: z.number(), total: z.number() }),
      ranking: Ranking,
    }),
  },
  /** Searches paid endpoints on sale by words (x402 `bazaar`). */
  searchResources: {
    route: "GET /x402/discovery/search",
    input: z.object({
      ...filters,
      query: z.string().check(z.minLength(1), z.maxLength(200)),
      cursor: Word,
    }),
    output: z.object({
      x402Version: z.literal(2),
      resources: z.array(DiscoveredResource),
      partialResults: z.boolean(),
      pagination: z.object({ limit: z.number(), cursor: z.union([z.string(), z.literal(null)]) }),
      ranking: Ranking,
    }),
  },
  /** Gets the public keys that sign offers and receipts, also those that were rotated out. */
  getSigningKeys: {
    route: "GET /x402/keys",
    input: Nothing,
    output: z.object({ keys: z.array(SigningKey) }),
  },
  /** Signs what your 402 offers, for a URL of an agent of yours (x402 `offer-receipt`). `validUntil` is in Unix seconds. */
  signOffers: {
    route: "POST /x402/offers",
    repeatable: true,
    input: z.object({
      resource: z.string().check(z.maxLength(2048)),
      accepts: z.array(Offer).check(z.minLength(1), z.maxLength(20)),
      format: z._default(z.enum(["jws", "eip712"]), "jws"),
    }),
    output: z.object({ offers: z.array(SignedStatement), validUntil: z.number() }),
  },
});

export const discoveryOperations = /* @__PURE__ */ serveCalls(
  { name: "discovery", section: "Discovery", scope: "calls" },
  discovery,
  {
    listResources: {
      access: "public",
      cacheSecs: CATALOG_SECS,
      summary: "List paid endpoints on sale, the best measured first",
      sample: () => ({ limit: 10, offset: 0, type: "http" }),
    },
    searchResources: {
      access: "public",
      cacheSecs: CATALOG_SECS,
      summary: "Search paid endpoints on sale by words",
      sample: () => ({ query: "reader", limit: 10 }),
    },
    getSigningKeys: {
      access: "public",
      cacheSecs: KEYS_SECS,
      summary: "Get the public keys that sign offers and receipts",
    },
    signOffers: {
      summary: "Sign what your 402 offers, for a URL of one of your agents",
      tenancy: "not found",
      sample: ({ planId, endpoint }: Examples) => ({
        resource: endpoint,
        accepts: [{ scheme: "svc:erc4337", network: "eip155:84532", planId, amount: "1" }],
      }),
    },
  },
);
