import * as z from "zod";
import { PageQuery } from "./listing.ts";
import { ChainStatus, MoneyStatus } from "./permission.ts";
import { Address, AgentId, AgentRequestId, Decimal, Instant, PlanId } from "./primitives.ts";

/** The most requests one report carries. */
export const MAX_REPORTED_REQUESTS = 200;

const Text = (max: number) =>
  z
    .string()
    .transform((text) => cut(text.replace(UNPRINTABLE, " ").trim(), max))
    .meta({ wire: "text" });

/** A character outside the first plane takes two units; half of one cannot be stored. */
const cut = (text: string, max: number): string =>
  text.slice(0, max).replace(/[\ud800-\udbff]$/, "");

const UNPRINTABLE = /[\p{Cc}\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

const Millis = z.number().min(0).max(86_400_000);

/**
 * What a gate saw of one request: times in milliseconds, `at` when it began. The path is kept without its
 * query. `moneyStatus` `settled` is never taken from here: the ledger says what was settled.
 */
export const ReportedRequest = z.object({
  /** Names the request as verify and settle did; left out for requests that were never verified. */
  agentRequestId: AgentRequestId.optional(),
  at: Instant,
  method: Text(16),
  path: z
    .string()
    .transform((path) => cut((path.split(/[?#]/)[0] ?? "").replace(UNPRINTABLE, " "), 512))
    .meta({ wire: "text" }),
  planId: PlanId.optional(),
  agentId: AgentId.optional(),
  httpStatus: z.int().min(100).max(599),
  moneyStatus: MoneyStatus,
  reason: Text(200).optional(),
  verifyMs: Millis.optional(),
  workMs: Millis.optional(),
  settleMs: Millis.optional(),
});
export type ReportedRequest = z.output<typeof ReportedRequest>;

/** A gate's report of at most 200 requests. The same `batchId` again changes nothing. */
export const RequestReport = z.object({
  batchId: AgentRequestId.optional(),
  requests: z.array(ReportedRequest).min(1).max(MAX_REPORTED_REQUESTS),
});
export type RequestReport = z.output<typeof RequestReport>;

/**
 * One request as the list shows it: the ledger's record of its money, and beside it what the gate saw.
 * Without a payer it was never verified. `reason` is for the side that served it.
 */
export const RequestRecord = z.object({
  agentRequestId: z.string(),
  /** When it was verified; when it was seen, if it never was. */
  at: z.string(),
  moneyStatus: MoneyStatus,
  planId: z.string().optional(),
  agentId: z.string().optional(),
  payer: z.string().optional(),
  scheme: z.string().optional(),
  credits: Decimal,
  method: z.string().optional(),
  path: z.string().optional(),
  httpStatus: z.number().optional(),
  reason: z.string().optional(),
  verifyMs: z.number().optional(),
  workMs: z.number().optional(),
  settleMs: z.number().optional(),
  verifiedAt: z.string().optional(),
  settledAt: z.string().optional(),
  releasedAt: z.string().optional(),
  settlementId: z.string().optional(),
  transaction: z.string(),
  chainStatus: ChainStatus,
});
export type RequestRecord = z.output<typeof RequestRecord>;

export const Role = z.enum(["builder", "subscriber"]);
export type Role = z.output<typeof Role>;

const MoneyStatuses = z
  .union([z.string().max(200), z.array(z.string().max(40)).max(7)])
  .transform((given) => (typeof given === "string" ? given.split(",") : given))
  .pipe(z.array(MoneyStatus).min(1).max(7))
  .meta({ wire: "text" });

/** Which requests to list; several money statuses are joined by commas. */
export const RequestQuery = PageQuery.extend({
  role: Role.default("builder"),
  planId: PlanId.optional(),
  agentId: AgentId.optional(),
  moneyStatus: MoneyStatuses.optional(),
  /** A status, or its class: `402`, `4xx`. */
  httpStatus: z
    .string()
    .regex(/^[1-5](xx|\d\d)$/, "Expected a status such as 402, or a class such as 4xx.")
    .optional(),
  payer: Address.optional(),
  since: Instant.optional(),
  until: Instant.optional(),
  /** Part of a request id. */
  search: z.string().max(128).optional(),
});
export type RequestQuery = z.output<typeof RequestQuery>;
