import * as z from "zod/mini";
import { Role, WhoActs } from "../activity.ts";
import { IncludeTest, PageQuery, pageOf } from "../listing.ts";
import { Money } from "../money.ts";
import { ChainStatus, MoneyStatus, Settlement } from "../permission.ts";
import { Address, AgentId, Decimal, Instant, PlanId, plainText, Uint256 } from "../primitives.ts";
import { Receipt } from "../receipt.ts";
import { samplePage } from "./examples.ts";
import { defineCalls, serveCalls } from "./operation.ts";
import { RequestRef } from "./shared.ts";

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

/**
 * What can be done about a delivered request that is not settled. `settle`: the service can, it still knows
 * the permission that was checked. `gate`: only the gate's journal can, for the service keeps no tokens.
 * `ended`: the permission is revoked or expired, and nothing can be charged. `order`: insufficient credits.
 */
export const UnsettledAdvice = z.enum(["settle", "gate", "ended", "order"]);
export type UnsettledAdvice = z.output<typeof UnsettledAdvice>;

/** A request that was delivered and not charged, with what can be done about it. */
export const UnsettledRequest = z.extend(RequestRecord, {
  advice: UnsettledAdvice,
  /** The most a settle would take. */
  creditsDue: z.optional(z.string()),
  /** Until when the permission may be used. */
  settleBefore: z.optional(z.string()),
});
export type UnsettledRequest = z.output<typeof UnsettledRequest>;

export const requests = /* @__PURE__ */ defineCalls({
  /** Lists paid requests you served, or with `role: "subscriber"` made, newest first. */
  listRequests: {
    route: "GET /requests",
    input: RequestQuery,
    output: pageOf(RequestRecord),
  },
  /** Gets one paid request you made or served. */
  getRequest: {
    route: "GET /requests/:agentRequestId",
    args: (agentRequestId: string) => ({ agentRequestId }),
    input: RequestRef,
    output: RequestRecord,
  },
  /** Lists requests that were delivered and not settled, and what can be done about each. */
  listUnsettledRequests: {
    route: "GET /unsettled",
    input: z.extend(PageQuery, { planId: z.optional(PlanId), agentId: z.optional(AgentId) }),
    output: pageOf(UnsettledRequest),
  },
  /** Settles a delivered request from the record of its reservation, once per request; needs no token. */
  settleRequest: {
    route: "POST /requests/:agentRequestId/settle",
    repeatable: true,
    args: (agentRequestId: string, maxAmount?: bigint | string) => ({
      agentRequestId,
      ...(maxAmount && { maxAmount }),
    }),
    input: z.extend(RequestRef, { maxAmount: z.optional(Uint256) }),
    output: Settlement,
  },
  /** Writes off an unsettled request and releases its reserved credits. */
  writeOffRequest: {
    route: "POST /requests/:agentRequestId/write-off",
    repeatable: true,
    args: (agentRequestId: string, note?: string) => ({
      agentRequestId,
      ...(note && { note }),
    }),
    input: z.extend(RequestRef, { note: z.optional(plainText(200)) }),
    output: RequestRecord,
  },
  /** Gets a settlement with the proof of its burn; needs no key. Throws `not_found`. */
  getReceipt: {
    route: "GET /receipts/:settlementId",
    args: (settlementId: string) => ({ settlementId }),
    input: z.object({ settlementId: z.string().check(z.maxLength(64)) }),
    output: Receipt,
  },
});

export const requestOperations = /* @__PURE__ */ serveCalls(
  { name: "requests", section: "Requests", scope: "activity" },
  requests,
  {
    listRequests: {
      summary:
        "List paid requests you served, or with role=subscriber those you made, newest first",
      sample: ({ planId, agentId, subscriber }) => ({
        ...samplePage,
        planId,
        agentId,
        role: "builder",
        moneyStatus: "settled,unknown",
        httpStatus: "2xx",
        payer: subscriber.address,
        since: "2026-01-01T00:00:00Z",
        until: "2100-01-01T00:00:00Z",
        search: "sample",
      }),
    },
    getRequest: {
      summary: "Get one paid request you made or served",
      sample: ({ spare }) => ({ agentRequestId: spare.settledId }),
    },
    listUnsettledRequests: {
      summary: "List delivered requests that are not settled, and what can be done",
      sample: ({ planId, agentId }) => ({ ...samplePage, planId, agentId }),
    },
    settleRequest: {
      summary: "Settle a delivered request with the permission verified for it",
      sample: ({ spare }) => ({ agentRequestId: spare.heldToSettleId, maxAmount: "1" }),
    },
    writeOffRequest: {
      summary: "Write off an unsettled request and release its reserved credits",
      sample: ({ spare }) => ({ agentRequestId: spare.heldToGiveUpId, note: "given up" }),
    },
    getReceipt: {
      access: "public",
      summary: "Get a settlement with the proof of its burn, to verify it yourself",
    },
  },
);
