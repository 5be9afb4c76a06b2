import * as z from "zod/mini";
import type { AgentTaskStatus } from "./enums.ts";
import { IncludeTest, PageQuery } from "./listing.ts";
import { Money } from "./money.ts";
import { ChainStatus, MoneyStatus } from "./permission.ts";
import { Address, AgentId, AgentRequestId, Decimal, Instant, PlanId } from "./primitives.ts";

/**
 * One part of the work on a paid request (§2.13). The specification names the type and does not show its fields; these
 * are the ones that clients of other systems send. The service keeps no sub-tasks.
 */
export type TrackAgentSubTaskDto = {
  agentRequestId: string;
  creditsToRedeem?: bigint | number | string;
  tag?: string;
  description?: string;
  status?: AgentTaskStatus;
};

/** The most requests one report carries. */
export const MAX_REPORTED_REQUESTS = 200;

const Text = (max: number) =>
  z
    .pipe(
      z.string(),
      z.transform((text) => cut(text.replace(UNPRINTABLE, " ").trim(), max)),
    )
    .register(z.globalRegistry, { wire: "text" });

/** A character outside the first plane takes two units; half of one cannot be stored. */
const cut = (text: string, max: number): string =>
  text.slice(0, max).replace(/[\ud800-\udbff]$/, "");

const UNPRINTABLE = /[\p{Cc}\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

const Millis = z.number().check(z.minimum(0), z.maximum(86_400_000));

/**
 * What a gate saw of one request: times in milliseconds, `at` when it began. The path is kept without its
 * query. `moneyStatus` `settled` is never taken from here: the ledger says what was settled.
 */
export const ReportedRequest = z.object({
  /** Names the request as verify and settle did; left out for requests that were never verified. */
  agentRequestId: z.optional(AgentRequestId),
  at: Instant,
  method: Text(16),
  path: z
    .pipe(
      z.string(),
      z.transform((path) => cut((path.split(/[?#]/)[0] ?? "").replace(UNPRINTABLE, " "), 512)),
    )
    .register(z.globalRegistry, { wire: "text" }),
  planId: z.optional(PlanId),
  agentId: z.optional(AgentId),
  httpStatus: z.int().check(z.minimum(100), z.maximum(599)),
  moneyStatus: MoneyStatus,
  reason: z.optional(Text(200)),
  verifyMs: z.optional(Millis),
  workMs: z.optional(Millis),
  settleMs: z.optional(Millis),
});
export type ReportedRequest = z.output<typeof ReportedRequest>;

/** A gate's report of at most 200 requests. The same `batchId` again changes nothing. */
export const RequestReport = z.object({
  batchId: z.optional(AgentRequestId),
  requests: z.array(ReportedRequest).check(z.minLength(1), z.maxLength(MAX_REPORTED_REQUESTS)),
});
export type RequestReport = z.output<typeof RequestReport>;

/** Who can end what is wrong with a request. */
export const WhoActs = z.enum(["payer", "builder", "operator"]);
export type WhoActs = z.output<typeof WhoActs>;

/**
 * One request as the list shows it: the ledger's record of its money, and beside it what the gate saw. Both sides see
 * one record. Without a payer its token was never proven. `reason` is for the side that served it, `delegationId` for
 * the payer; a cause in the builder's setup is `builder_setup` to the payer.
 */
export const RequestRecord = z.object({
  agentRequestId: z.string(),
  /** When it was verified; when it was seen, if it never was. */
  at: z.string(),
  moneyStatus: MoneyStatus,
  planId: z.optional(z.string()),
  agentId: z.optional(z.string()),
  payer: z.optional(z.string()),
  scheme: z.optional(z.string()),
  /** Of a payment by `exact` to a seller who need not be known here: who captures it, and how much. */
  seller: z.optional(z.string()),
  paid: z.optional(Money),
  credits: Decimal,
  method: z.optional(z.string()),
  path: z.optional(z.string()),
  httpStatus: z.optional(z.number()),
  reason: z.optional(z.string()),
  tokenId: z.optional(z.string()),
  delegationId: z.optional(z.string()),
  /** Why it was refused, not charged or not settled: a code of the service's, or what the gate reported. */
  cause: z.optional(z.string()),
  /** Left out when nothing is wrong, or nothing is left to do. */
  whoActs: z.optional(WhoActs),
  verifyMs: z.optional(z.number()),
  workMs: z.optional(z.number()),
  settleMs: z.optional(z.number()),
  verifiedAt: z.optional(z.string()),
  settledAt: z.optional(z.string()),
  releasedAt: z.optional(z.string()),
  settlementId: z.optional(z.string()),
  transaction: z.string(),
  chainStatus: ChainStatus,
});
export type RequestRecord = z.output<typeof RequestRecord>;

export const Role = z.enum(["builder", "subscriber"]);
export type Role = z.output<typeof Role>;

const MoneyStatuses = z
  .pipe(
    z.pipe(
      z.union([
        z.string().check(z.maxLength(200)),
        z.array(z.string().check(z.maxLength(40))).check(z.maxLength(7)),
      ]),
      z.transform((given) => (typeof given === "string" ? given.split(",") : given)),
    ),
    z.array(MoneyStatus).check(z.minLength(1), z.maxLength(7)),
  )
  .register(z.globalRegistry, { wire: "text" });

/** Which requests to list; several money statuses are joined by commas. */
export const RequestQuery = z.extend(PageQuery, {
  role: z._default(Role, "builder"),
  planId: z.optional(PlanId),
  agentId: z.optional(AgentId),
  moneyStatus: z.optional(MoneyStatuses),
  /** A status, or its class: `402`, `4xx`. */
  httpStatus: z.optional(
    z
      .string()
      .check(z.regex(/^[1-5](xx|\d\d)$/, "Expected a status such as 402, or a class such as 4xx.")),
  ),
  payer: z.optional(Address),
  tokenId: z.optional(z.string().check(z.maxLength(64))),
  cause: z.optional(z.string().check(z.regex(/^[\w-]{1,64}$/, "Expected a code."))),
  since: z.optional(Instant),
  until: z.optional(Instant),
  /** As a builder, list also what test customers called. */
  includeTest: IncludeTest,
  /** Part of a request id. */
  search: z.optional(z.string().check(z.maxLength(128))),
});
export type RequestQuery = z.output<typeof RequestQuery>;
