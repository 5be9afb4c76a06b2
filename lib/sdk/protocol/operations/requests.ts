import * as z from "zod/mini";
import { PageQuery, pageOf } from "../listing.ts";
import { Settlement } from "../permission.ts";
import { AgentId, AgentRequestId, PlanId, plainText, Uint256 } from "../primitives.ts";
import { Receipt } from "../receipt.ts";
import { RequestQuery, RequestRecord } from "../request-list.ts";
import { samplePage } from "./examples.ts";
import { defineCalls, serveCalls } from "./operation.ts";

/**
 * What can be done about a delivered request that is not settled. `settle`: the service can, it still knows
 * the permission that was checked. `gate`: only the gate's journal can, for the service keeps no tokens.
 * `ended`: the permission is revoked or expired, and nothing can be charged. `order`: insufficient credits.
 */
export const UnsettledAdvice = z.enum(["settle", "gate", "ended", "order"]);
export type UnsettledAdvice = z.output<typeof UnsettledAdvice>;

export const UnsettledRequest = z.extend(RequestRecord, {
  advice: UnsettledAdvice,
  /** The most a settle would take. */
  creditsDue: z.optional(z.string()),
  /** Until when the permission may be used. */
  settleBefore: z.optional(z.string()),
});
export type UnsettledRequest = z.output<typeof UnsettledRequest>;

const RequestRef = z.object({ agentRequestId: AgentRequestId });

export const requests = /* @__PURE__ */ defineCalls({
  /** Lists paid requests you served, or with `role: "subscriber"` made, newest first. */
  listRequests: {
    method: "GET",
    path: "/requests",
    input: RequestQuery,
    output: pageOf(RequestRecord),
  },
  /** Gets one paid request you made or served. */
  getRequest: {
    method: "GET",
    path: "/requests/:agentRequestId",
    args: (agentRequestId: string) => ({ agentRequestId }),
    input: RequestRef,
    output: RequestRecord,
  },
  /** Lists requests that were delivered and not settled, and what can be done about each. */
  listUnsettledRequests: {
    method: "GET",
    path: "/unsettled",
    input: z.extend(PageQuery, { planId: z.optional(PlanId), agentId: z.optional(AgentId) }),
    output: pageOf(UnsettledRequest),
  },
  /** Settles a delivered request from the record of its reservation, once per request; needs no token. */
  settleRequest: {
    method: "POST",
    path: "/requests/:agentRequestId/settle",
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
    method: "POST",
    path: "/requests/:agentRequestId/write-off",
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
    method: "GET",
    path: "/receipts/:settlementId",
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
      summary: "List paid requests you made or served, newest first",
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
      summary: "List requests that were delivered and not settled, and what can be done",
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
