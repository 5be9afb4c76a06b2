import { AgentId, PlanId } from "@turnpike/payments/protocol";
import * as z from "zod/mini";

const MAX_IDS = 50;

/** Up to fifty ids, in a URL joined by commas. */
const idsOf = (id: typeof PlanId | typeof AgentId) =>
  z._default(
    z
      .pipe(
        z.pipe(
          z.union([
            z.string().check(z.maxLength(4_100)),
            z.array(z.string().check(z.maxLength(80))).check(z.maxLength(MAX_IDS)),
          ]),
          z.transform((given) =>
            typeof given === "string" ? given.split(",").filter(Boolean) : given,
          ),
        ),
        z.array(id).check(z.maxLength(MAX_IDS)),
      )
      .register(z.globalRegistry, { wire: "text" }),
    [],
  );

export const MarketFactsQuery = z.object({ planIds: idsOf(PlanId), agentIds: idsOf(AgentId) });

/** Fewer calls than this say nothing about a seller: no share and no time is shown for them. */
export const ENOUGH_CALLS = 20;

/**
 * What the ledger saw of a plan or an agent in the last 30 days: calls whose payment was accepted, and how many of them
 * settled. The seller's own calls and those of test customers are left out, and nothing a seller reports is counted.
 */
export const MarketFacts = z.object({
  id: z.string(),
  calls: z.number(),
  settled: z.number(),
  customers: z.number(),
  /** Milliseconds from the accepted payment to its settlement; absent below `ENOUGH_CALLS`. */
  p50Ms: z.optional(z.number()),
  p95Ms: z.optional(z.number()),
  /** Each day's calls, oldest first. */
  days: z.array(z.object({ calls: z.number(), settled: z.number() })),
});
export type MarketFacts = z.output<typeof MarketFacts>;

/** A domain whose owner has published this agent's id there. */
export const ProvedDomain = z.object({
  host: z.string(),
  provedAt: z.string(),
  seenAt: z.string(),
});

export const DoctorSummary = z.object({ at: z.string(), passed: z.number(), checks: z.number() });

export const AgentMarketFacts = z.extend(MarketFacts, {
  domain: z.optional(ProvedDomain),
  doctor: z.optional(DoctorSummary),
});
export type AgentMarketFacts = z.output<typeof AgentMarketFacts>;

/** Plans and agents that may not be seen by everyone are left out. */
export const MarketFactsAnswer = z.object({
  since: z.string(),
  plans: z.array(MarketFacts),
  agents: z.array(AgentMarketFacts),
});

/** Whether an agent's domain is proved, and what to publish to prove it: one of the two is enough. */
export const AgentDomain = z.object({
  state: z.enum(["not-proved", "proved", "lost"]),
  /** Absent when the endpoints have no host, or more than one. */
  host: z.optional(z.string()),
  file: z.optional(z.object({ url: z.string(), content: z.string() })),
  record: z.optional(z.object({ name: z.string(), value: z.string() })),
  method: z.optional(z.enum(["file", "dns"])),
  provedAt: z.optional(z.string()),
  seenAt: z.optional(z.string()),
  checkedAt: z.optional(z.string()),
  lostAt: z.optional(z.string()),
  /** Why the last check did not find the proof. */
  reason: z.optional(z.string()),
});
export type AgentDomain = z.output<typeof AgentDomain>;
