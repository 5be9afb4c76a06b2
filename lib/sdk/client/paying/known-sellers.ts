import type { Agent } from "../../protocol/agent.ts";
import { PaymentsError } from "../../protocol/errors.ts";
import type { Connection } from "../connection.ts";
import { isNamed } from "../fetch-tokens.ts";
import type { Declined, PayableOffer } from "../offers.ts";
import type { PayingFetchOptions } from "../paid-response.ts";
import { rareGroup } from "../rare-group.ts";
import { readPlan, skipUnknown } from "../resolve-scheme.ts";
import { createTtlCache } from "../ttl-cache.ts";

type Asked = { original: Request; options: PayingFetchOptions };

const CACHE_MS = 5 * 60_000;
const MAX_AGENTS = 100;

/**
 * Decides who gets a bearer token. A server that answers with another seller's 402 could spend it at that seller, so the call has to name
 * the plan or its seller, or go to an origin at which an agent of the plan is registered.
 */
export function createKnownSellers(connection: Connection) {
  const agents = rareGroup(connection, "agents");
  const plans = rareGroup(connection, "plans");
  const known = createTtlCache<Promise<string[]>>(CACHE_MS, MAX_AGENTS);

  function originsFor({ planId, agentId }: PayableOffer): Promise<string[]> {
    const key = `${planId} ${agentId ?? ""}`;
    const kept = known.get(key);
    if (kept) return kept;
    const read = async (): Promise<Agent[]> =>
      agentId === undefined
        ? (await plans.getPlanAgents(planId, { limit: MAX_AGENTS })).items
        : [await agents.getAgent(agentId)];
    const origins = read().then(originsOf, noneIfUnknown);
    known.set(key, origins);
    origins.catch(() => known.delete(key));
    return origins;
  }

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
    const anyway = `To pay anyway, pass \`planId: "${planId}"\`, or name the seller in \`allowSellers\`: ${seller}.`;
    const why =
      "The request can't be signed, so its token could be spent on other requests of the plan.";
    // The seller itself says which URL a message is for.
    if (options.callName !== undefined)
      return `Nothing shows that this 402 comes from the seller of plan ${planId}. ${why} ${anyway}`;
    const called = originOf(original.url);
    const origins = await originsFor(offer);
    if (called !== null && origins.includes(called)) return null;
    const found =
      origins.length === 0
        ? "has no registered origin to compare with"
        : `is sold at ${origins.slice(0, 3).join(", ")}`;
    return `Plan ${planId} ${found}; the 402 comes from ${called}. ${why} ${anyway}`;
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

const originsOf = (agents: Agent[]): string[] => {
  const urls = agents.flatMap(({ metadata }) => metadata.agent.endpoints.flatMap(Object.values));
  return [...new Set(urls.map(originOf).filter((origin) => origin !== null))];
};

/** The agent is named by the 402. */
function noneIfUnknown(error: unknown): string[] {
  if (PaymentsError.is(error) && /^(not_found|invalid_input)$/.test(error.code)) return [];
  throw error;
}

/** A URL's origin, in which this machine has one name; null for a path and for what is not reached by HTTP. */
function originOf(url: string): string | null {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return null;
  const own = new URL(url);
  if (/^(127\.0\.0\.1|\[::1\])$/.test(own.hostname)) own.hostname = "localhost";
  return own.origin;
}
