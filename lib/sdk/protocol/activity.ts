import * as z from "zod/mini";
import type { AgentTaskStatus } from "./enums.ts";
import { MoneyStatus } from "./permission.ts";
import { AgentId, AgentRequestId, Instant, PlanId } from "./primitives.ts";

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

/** The side whose requests or orders are listed: of your agents, or your own. */
export const Role = z.enum(["builder", "subscriber"]);
export type Role = z.output<typeof Role>;
