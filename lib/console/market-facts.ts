import * as z from "zod/mini";

/** Up to fifty ids of plans or agents, joined by commas. */
const Ids = z._default(
  z
    .string()
    .check(
      z.maxLength(6_500),
      z.regex(
        /^([A-Za-z0-9:._-]{1,128}(,[A-Za-z0-9:._-]{1,128}){0,49})?$/,
        "Expected up to 50 IDs, joined by commas.",
      ),
    ),
  "",
);

export const MarketFactsQuery = z.object({ planIds: Ids, agentIds: Ids });

/** Fewer calls than this say nothing about a seller: no share and no time is shown for them. */
export const ENOUGH_CALLS = 20;

/** Times are those of the newest settled calls, of a period at most so many. */
export const NEWEST_CALLS = 2_000;

/**
 * What the ledger saw of a plan or an agent in the last 30 days: calls whose payment was accepted, and how many of them
 * settled. The seller's own calls and those of test customers are left out, and nothing a seller reports is counted.
 */
export const MarketFacts = z.object({
  id: z.string(),
  calls: z.number(),
  settled: z.number(),
  customers: z.number(),
  /** Milliseconds from the accepted payment to its settlement, of the `NEWEST_CALLS`; absent below `ENOUGH_CALLS`. */
  p50Ms: z.optional(z.number()),
  p95Ms: z.optional(z.number()),
  /** Each day's calls, oldest first. */
  days: z.array(z.object({ calls: z.number(), settled: z.number() })),
});
export type MarketFacts = z.output<typeof MarketFacts>;

/** A domain whose owner has published this agent's id there. */
const ProvedDomain = z.object({
  host: z.string(),
  provedAt: z.string(),
  seenAt: z.string(),
});

export const DoctorSummary = z.object({ at: z.string(), passed: z.number(), checks: z.number() });
export type DoctorSummary = z.output<typeof DoctorSummary>;

/** Whether Turnpike checks an agent once a day, and what the last run found. */
export const CheckSchedule = z.object({
  isOn: z.boolean(),
  /** Absent while it is off, or the agent is archived. */
  nextAt: z.optional(z.string()),
  last: z.optional(DoctorSummary),
});
export type CheckSchedule = z.output<typeof CheckSchedule>;

export const AgentMarketFacts = z.extend(MarketFacts, {
  domain: z.optional(ProvedDomain),
  doctor: z.optional(DoctorSummary),
  /**
   * The listed plans, and those of `planIds`, that each endpoint (`POST https://agent.example/ask`) offered at the last
   * check; absent where none was seen.
   */
  offers: z.optional(z.record(z.string(), z.array(z.string()))),
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
