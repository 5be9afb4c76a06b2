import type { Agent } from "../../protocol/agent.ts";
import { parseUrl } from "../../protocol/encoding/parse-url.ts";
import { PaymentsError } from "../../protocol/errors.ts";
import type { Connection } from "../connection.ts";
import { isNamed } from "../fetch-tokens.ts";
import type { Declined, PayableOffer } from "../offers.ts";
import type { PayingFetchOptions } from "../paid-response.ts";
import { rareGroup } from "../rare-group.ts";
import { readPlan, skipUnknown } from "../resolve-scheme.ts";
import { createTtlCache } from "../ttl-cache.ts";

type Offered = Pick<PayableOffer, "planId" | "agentId">;
type Asked = { original: Request; options: PayingFetchOptions };

const CACHE_MS = 5 * 60_000;
const MAX_AGENTS = 100;

/** Tells where a plan is sold: why a URL is not known to be there, or null. */
export function createSoldAt(connection: Connection) {
  const agents = rareGroup(connection, "agents");
  const plans = rareGroup(connection, "plans");
  const known = createTtlCache<Promise<string[]>>(CACHE_MS, MAX_AGENTS);

  /** The origins of the offer's agent, or of the plan's agents: of all, or of those at the called origin. */
  function originsFor({ planId, agentId }: Offered, origin?: string): Promise<string[]> {
    const key = `${planId} ${agentId ?? ""} ${origin ?? ""}`;
    const kept = known.get(key);
    if (kept) return kept;
    const read = async () =>
      agentId === undefined
        ? await plans.getPlanAgents(planId, { limit: MAX_AGENTS, ...(origin && { origin }) })
        : { items: [await agents.getAgent(agentId)] };
    const sold = read().then(originsOf, noneIfUnknown);
    known.set(key, sold);
    sold.catch(() => known.delete(key));
    return sold;
  }

  return async function whyElsewhere(offer: Offered, url: string): Promise<string | null> {
    const called = originOf(url);
    const origins = await originsFor(offer);
    if (called !== null) {
      if (origins.includes(called)) return null;
      // Archived agents, which are called as before, are found by their origin only.
      const there =
        offer.agentId === undefined ? await originsFor(offer, new URL(url).origin) : null;
      if (there?.includes(called)) return null;
    }
    const found =
      origins.length === 0
        ? "has no registered origin to compare with"
        : `is sold at ${origins.slice(0, 3).join(", ")}`;
    return `Plan ${offer.planId} ${found}; the 402 comes from ${called}.`;
  };
}

/**
 * Decides who gets a bearer token. A server that answers with another seller's 402 could spend it at that seller, so the call has to name
 * the plan or its seller, or go to an origin at which an agent of the plan is registered.
 */
export function createKnownSellers(connection: Connection) {
  const whyElsewhere = createSoldAt(connection);

  /** Why the offer may not be paid with a bearer token, or null. */
  async function whyUnknown(
    offer: PayableOffer,
    { original, options }: Asked,
  ): Promise<string | null> {
    const { planId } = offer;
    const plan = await readPlan(connection, planId).catch(skipUnknown([]));
    // Minting refuses it.
    if (!plan) return null;
    const { owner: seller } = plan;
    if (isNamed({ planId, seller }, options)) return null;
    const why =
      options.callName === undefined
        ? await whyElsewhere(offer, original.url)
        : // The seller itself says which URL a message is for.
          `Nothing shows that this 402 comes from the seller of plan ${planId}.`;
    return (
      why &&
      `${why} The request can't be signed, so its token could be spent on other requests of the plan. To pay anyway, pass \`planId: "${planId}"\`, or name the seller in \`allowSellers\`: ${seller}.`
    );
  }

  return {
    /** The offers that a bearer token may pay, or why there are none. */
    async among(offers: PayableOffer[], asked: Asked): Promise<PayableOffer[] | Declined> {
      const reasons = await Promise.all(offers.map((offer) => whyUnknown(offer, asked)));
      const left = offers.filter((_, at) => reasons[at] === null);
      return left.length > 0 ? left : { declined: reasons[0] as string, isOfPlans: true };
    },

    /** Throws `spending_not_allowed` for an offer that a bearer token may not pay. */
    async check(offer: PayableOffer, asked: Asked): Promise<void> {
      const why = await whyUnknown(offer, asked);
      if (why !== null) throw new PaymentsError("spending_not_allowed", why);
    },
  };
}

const originsOf = ({ items }: { items: Agent[] }): string[] => {
  const urls = items.flatMap(({ metadata }) => metadata.agent.endpoints.flatMap(Object.values));
  return [...new Set(urls.map(originOf).filter((origin) => origin !== null))];
};

/** The agent is named by the 402. */
function noneIfUnknown(error: unknown): string[] {
  if (PaymentsError.is(error) && /^(not_found|invalid_input)$/.test(error.code)) return [];
  throw error;
}

/** A URL's origin, in which this machine has one name; null for a path and for what is not reached by HTTP. */
function originOf(url: string): string | null {
  const own = /^https?:/i.test(url) ? parseUrl(url) : null;
  if (!own) return null;
  if (/^(127\.0\.0\.1|\[::1\])$/.test(own.hostname)) own.hostname = "localhost";
  return own.origin;
}
