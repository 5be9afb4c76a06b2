import {
  buildOffer,
  type DiscoveredResource,
  type PaymentOffer,
  type SchemeId,
  totalOf,
} from "@turnpike/payments/protocol";
import { ENOUGH_CALLS } from "@/lib/console/market-facts.ts";
import type { Context } from "../context.ts";
import { periodOf } from "../figures/period.ts";
import { doctorSummary } from "../plans/check-schedule.ts";
import { provedDomain } from "../plans/domain-proof.ts";
import type { Rail } from "../rails/rail.ts";
import type { AgentRecord, PlanRecord } from "../records.ts";

/** What was measured of an agent in the last 30 days, without the calls of its seller's own wallets. */
type Measured = {
  since: string;
  calls: number;
  settled: number;
  customers: number;
  /** Of calls; absent below `ENOUGH_CALLS`, as is `p95Ms`. */
  settledShare?: number;
  p95Ms?: number;
  /** The last run of the checks. */
  doctor?: { at: string; passed: number; checks: number };
  /** The host that the seller has proved. */
  domain?: string;
};

/** A listed endpoint with what ranks it. An agent has many, and each has many offers: they are made for a page alone. */
export type Listed = {
  resource: string;
  type: DiscoveredResource["type"];
  extensions: { measured: { info: Measured } };
  /** What the agent says of itself: the same text for all its endpoints. */
  words: string;
  score: number;
  offers: () => PaymentOffer[];
  item: () => DiscoveredResource;
};

/** Agents of a catalog, and of one seller in it. */
const MOST = { all: 1000, each: 50 };
/** Of one endpoint: what a 402 can have. */
const MOST_OFFERS = 20;
/** For the 95 % confidence interval of a share. */
const Z = 1.96;

export const RANKING =
  "By the share of paid calls that settled in the last 30 days (the lower bound of its 95 % confidence interval), then by p95 latency, then by name. Calls from the sellers' own wallets and test calls are left out, and a seller can't buy a position.";

/** A catalog of more endpoints and plans is read once for all who ask for parts of it. An answer is kept five seconds longer. */
const LARGE = 500;
const KEPT_MS = 25_000;
/** The same after a change through this process: however many there are, it is not read for each. */
const CHANGED_MS = 5_000;

type Reading = { catalog: Promise<Listed[]>; startedAt: number; keptMs: number };
const readings = new WeakMap<Context["ports"]["business"], Reading>();

/** The catalog, of this reading or of one that others began. */
export function shareCatalog(context: Context): Promise<Listed[]> {
  const { business } = context.ports;
  const known = readings.get(business);
  if (known && performance.now() - known.startedAt < known.keptMs) return known.catalog;
  const catalog = readCatalog(context);
  readings.set(business, { catalog, startedAt: performance.now(), keptMs: KEPT_MS });
  const forget = () => readings.delete(business);
  catalog.then((listed) => listed.length > LARGE || forget(), forget);
  return catalog;
}

/** Has a shared catalog read again soon: a plan or an agent has changed. */
export function refreshCatalog({ business }: Pick<Context["ports"], "business">): void {
  const known = readings.get(business);
  if (known) known.keptMs = CHANGED_MS;
}

/**
 * Every endpoint on sale that was reached: by a paid call, by a check that saw its plan, or by the proof of its domain. Best
 * first.
 */
export async function readCatalog(context: Context): Promise<Listed[]> {
  const { agents, business, clock, plans } = context.ports;
  const { since } = await periodOf(context, "30d");
  const onSale = await agents.onSale(await business.reachedAgents(since, MOST));
  const [now, rows, listed] = await Promise.all([
    clock.now(),
    business.agentFacts(
      onSale.map(({ agentId }) => agentId),
      since,
    ),
    plans.listListed(onSale.flatMap(({ planIds }) => planIds)),
  ]);
  const totals = new Map(rows.filter(({ day }) => day === null).map((row) => [row.id, row]));
  const planById = new Map(listed.map((plan) => [plan.planId, plan]));
  const offerOf = offerMaker(context);
  return onSale
    .flatMap((agent) => {
      const total = totals.get(agent.agentId);
      const { calls = 0, settled = 0, customers = 0, p95Ms = null } = total ?? {};
      const domain = provedDomain(agent, now)?.host;
      const sold = agent.planIds.flatMap((planId) => planById.get(planId) ?? []);
      const { doctorRun } = agent;
      const seen = Object.values(doctorRun?.offers ?? {}).flat();
      // Anyone can have another's endpoint checked: only the seller's own says something of the seller.
      const isOwn = domain !== undefined || sold.some(({ planId }) => seen.includes(planId));
      const measured: Measured = {
        since: since.toISOString(),
        ...{ calls, settled, customers },
        ...(calls >= ENOUGH_CALLS && { settledShare: settled / calls }),
        ...(calls >= ENOUGH_CALLS && p95Ms !== null && { p95Ms }),
        ...(doctorRun && isOwn && { doctor: doctorSummary(doctorRun) }),
        ...(domain && { domain }),
      };
      return resourcesOf({ agent, sold, measured, offerOf });
    })
    .sort(
      (a, b) =>
        b.score - a.score ||
        latencyOf(a) - latencyOf(b) ||
        Number(a.resource > b.resource) - Number(a.resource < b.resource),
    );
}

const latencyOf = ({ extensions }: Listed): number =>
  extensions.measured.info.p95Ms ?? Number.MAX_SAFE_INTEGER;

type OfferOf = (plan: PlanRecord) => PaymentOffer;
type Sold = { agent: AgentRecord; sold: PlanRecord[]; measured: Measured; offerOf: OfferOf };

/** Makes the offer of a plan once, however many endpoints have it. */
function offerMaker({ ports: { rails } }: Context): OfferOf {
  const made = new Map<string, PaymentOffer>();
  return (plan) => {
    const offer = made.get(plan.planId) ?? makeOffer(rails.getByPrice(plan.price), plan);
    made.set(plan.planId, offer);
    return offer;
  };
}

function resourcesOf({ agent, sold, measured, offerOf }: Sold): Listed[] {
  const { agentId, metadata, updatedAt, doctorRun } = agent;
  const { name, description } = metadata;
  const serviceName = printable(name);
  const tags = [...new Set((metadata.tags ?? []).flatMap((tag) => printable(tag) ?? []))];
  const words = [name, description, ...(metadata.tags ?? [])].join(" ").toLowerCase();
  const extensions = { measured: { info: measured } };
  const score = scoreOf(measured);
  return agent.endpoints
    .filter(({ url }) => !url.startsWith("/"))
    .flatMap(({ verb, url }) => {
      const seen = doctorRun?.offers?.[`${verb} ${url}`];
      const offered = sold
        .filter(
          ({ planId }) =>
            measured.domain !== undefined || (seen?.includes(planId) ?? measured.settled > 0),
        )
        .slice(0, MOST_OFFERS);
      if (offered.length === 0) return [];
      const resource = url.replaceAll(":agentId", agentId);
      const type = url.startsWith("mcp:") ? "mcp" : "http";
      const offers = () => offered.map(offerOf);
      const item = (): DiscoveredResource => ({
        resource,
        type,
        x402Version: 2,
        accepts: offers().map((offer) => ({
          ...offer,
          extra: { ...offer.extra, agentId, httpVerb: verb },
        })),
        lastUpdated: updatedAt.toISOString(),
        ...(description && { description }),
        ...(serviceName && { serviceName }),
        ...(tags.length > 0 && { tags: tags.slice(0, 5) }),
        extensions,
      });
      return [{ resource, type, extensions, words, score, offers, item }];
    });
}

/** A plan's offer as a gate makes it for its cheapest call, with what the plan itself costs beside it. */
function makeOffer(
  rail: Rail,
  { planId, metadata, price, credits, accessLimit }: PlanRecord,
): PaymentOffer {
  const total = totalOf(price).toString();
  const isValued = rail.quote(price).currency !== null;
  const offer = buildOffer({
    planId,
    scheme: rail.scheme as SchemeId,
    network: rail.network,
    amount: credits.minAmount.toString(),
    payTo: rail.payTo(price),
  });
  return {
    ...offer,
    extra: {
      ...offer.extra,
      plan: {
        name: metadata.name,
        price: total,
        // A token without a known value is named by its address alone: its decimals follow from no symbol.
        currency: (isValued && price.currency) || price.tokenAddress,
        ...(accessLimit === "time"
          ? { accessLimit, durationSecs: credits.durationSecs.toString() }
          : { credits: credits.amount }),
      },
    },
  };
}

/** The lower bound of Wilson's interval, so that few calls rank below as good a share of many. */
function scoreOf({ calls, settled }: Measured): number {
  if (calls === 0) return 0;
  const [share, z2] = [settled / calls, Z * Z];
  const spread = Z * Math.sqrt((share * (1 - share) + z2 / (4 * calls)) / calls);
  return (share + z2 / (2 * calls) - spread) / (1 + z2 / calls);
}

/** Service names and tags as x402's `bazaar` allows them: printable ASCII, at most 32 characters. */
const printable = (text: string): string | undefined =>
  /^[\x20-\x7e]{1,32}$/.test(text) ? text : undefined;
