import {
  type OutputOf,
  type ParsedInputOf,
  type PaymentOffer,
  planIdOf,
} from "@turnpike/payments/protocol";
import { type Context, invalid, notFound, requireCaller } from "../context.ts";
import { nameableUrl, OFFER_SECS, signOffer, unixSecs } from "../permissions/sign-statement.ts";
import type { Verb } from "../verb.ts";
import { type Listed, RANKING, shareCatalog } from "./catalog.ts";

type Filters = Omit<ParsedInputOf<"searchResources">, "query" | "cursor" | "limit">;

/** The endpoints on sale that have every given value (x402 `bazaar`); a value that none has matches none. */
export const listResources: Verb<"listResources"> = async (
  context,
  { query, limit, offset, ...filters },
) => {
  const found = select(await shareCatalog(context), filters, query);
  return {
    x402Version: 2,
    items: found.slice(offset, offset + limit).map(({ item }) => item()),
    pagination: { limit, offset, total: found.length },
    ranking: RANKING,
  };
};

/** The same by words: endpoints with more of the words come first. */
export const searchResources: Verb<"searchResources"> = async (
  context,
  { query, cursor, limit, ...filters },
) => {
  const start = Number(cursor ?? 0);
  if (!Number.isSafeInteger(start) || start < 0) {
    throw invalid("cursor", "Use the cursor of the previous response.");
  }
  const found = select(await shareCatalog(context), filters, query);
  const next = start + limit;
  const hasMore = next < found.length;
  return {
    x402Version: 2,
    resources: found.slice(start, next).map(({ item }) => item()),
    partialResults: hasMore,
    pagination: { limit, cursor: hasMore ? String(next) : null },
    ranking: `By how many of the words an endpoint has. ${RANKING}`,
  };
};

/** Words of a query that count: each is looked for in every text of the catalog. */
const MOST_WORDS = 20;

function select(catalog: Listed[], filters: Filters, query?: string): Listed[] {
  const asked = new Set(query?.toLowerCase().split(/\s+/).filter(Boolean));
  const words = [...asked].slice(0, MOST_WORDS);
  const found = catalog.filter((one) => fits(one, filters));
  if (words.length === 0) return found;
  const missing = new Map<string, string[]>();
  const hitsOf = ({ words: text, resource }: Listed) => {
    const others = missing.get(text) ?? words.filter((word) => !text.includes(word));
    missing.set(text, others);
    const url = resource.toLowerCase();
    return words.length - others.filter((word) => !url.includes(word)).length;
  };
  return found
    .map((one) => ({ one, hits: hitsOf(one) }))
    .filter(({ hits }) => hits > 0)
    .sort((a, b) => b.hits - a.hits)
    .map(({ one }) => one);
}

function fits(one: Listed, { type, payTo, scheme, network, extensions }: Filters): boolean {
  const isOffered = (isAsked: (offer: PaymentOffer) => boolean) => one.offers().some(isAsked);
  const payee = payTo?.toLowerCase();
  return (
    (type === undefined || one.type === type) &&
    (extensions === undefined || Object.hasOwn(one.extensions, extensions)) &&
    (scheme === undefined || isOffered((offer) => offer.scheme === scheme)) &&
    (network === undefined || isOffered((offer) => offer.network === network)) &&
    (payee === undefined || isOffered((offer) => offer.payTo?.toLowerCase() === payee))
  );
}

/** The public keys that sign offers and receipts. */
export async function getSigningKeys({ ports }: Context): Promise<OutputOf<"getSigningKeys">> {
  return { keys: await ports.signer.keys() };
}

/**
 * Signs the offers of the caller's own plans for a URL that they may speak for. Throws `not_found` for a plan of someone
 * else, `invalid_input` for a URL of someone else.
 */
export const signOffers: Verb<"signOffers"> = async (
  context,
  { resource: given, accepts, format },
) => {
  const { ports } = context;
  const { account } = requireCaller(context);
  for (const offer of accepts) {
    const planId = planIdOf(offer) ?? "";
    const plan = await ports.plans.find(planId);
    if (plan?.owner !== account) throw notFound("plan", planId);
  }
  const resource = await nameableUrl(ports, account, given);
  if (resource === null) {
    const remedy =
      ports.environment === "live"
        ? "Register an agent with this URL and prove its domain."
        : "Register an agent with an endpoint on this host.";
    throw invalid("resource", `You have no agent at this URL. ${remedy}`);
  }
  const validUntil = unixSecs(await ports.clock.now()) + OFFER_SECS;
  const terms = { resource, validUntil, format };
  const offers = accepts.map((offer, acceptIndex) => ({
    ...signOffer(ports, offer, terms),
    acceptIndex,
  }));
  return { offers, validUntil };
};
