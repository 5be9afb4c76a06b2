import * as z from "zod/mini";
import {
  FacilitatorInput,
  SettleInput,
  Settlement,
  Verification,
  VerifyInput,
} from "../permission.ts";
import { AgentRequestId, Count } from "../primitives.ts";
import { defineCalls, serveCalls } from "./operation.ts";
import { samplePermission } from "./permissions.ts";

/** A request that its gate decided by a lease: it takes one of the lease's requests. */
export const LeasedInput = z.object({ leaseId: AgentRequestId, agentRequestId: AgentRequestId });
export type LeasedInput = z.output<typeof LeasedInput>;

/** The most requests of one batch. */
const MAX_BATCH = 500;
const MAX_LEASED = 10_000;

export const leases = /* @__PURE__ */ defineCalls({
  /**
   * Reserves the credits of up to `requests` requests like this one, which the caller may serve within `seconds` without
   * asking again, and settles by `settleBatch`. Fewer or none are an answer too. Release `leaseId` to return the rest.
   *
   * @example await payments.facilitator.leasePermissions({ paymentRequired, x402AccessToken, requests: 500, seconds: 5 })
   */
  leasePermissions: {
    method: "POST",
    path: "/x402/lease",
    input: z.extend(
      z.omit(VerifyInput, { reserve: true, agentRequestId: true, idempotencyKey: true }),
      {
        requests: z.pipe(Count, z.number().check(z.minimum(1), z.maximum(MAX_LEASED))),
        seconds: Count,
      },
    ),
    output: z.object({
      requests: Count,
      seconds: Count,
      /** Names the lease; absent without one. */
      leaseId: z.optional(z.string()),
      /** Verify's answer for each of its requests. */
      verification: z.optional(Verification),
    }),
  },
  /**
   * Settles up to 500 requests, each as `settlePermissions` would and once per `agentRequestId`; or, with a `leaseId`,
   * from that lease. The answers are in the order of the items; a failure of one concerns no other.
   *
   * @example const { items } = await payments.facilitator.settleBatch({ items: [{ leaseId, agentRequestId }] })
   */
  settleBatch: {
    method: "POST",
    path: "/x402/settle/batch",
    timeoutMs: 60_000,
    // Each item names its request, or is one that a repeat would settle anew: the caller decides.
    repeatable: false,
    input: z.object({
      items: z
        .array(z.union([LeasedInput, SettleInput, FacilitatorInput]))
        .check(z.minLength(1), z.maxLength(MAX_BATCH)),
    }),
    output: z.object({ items: z.array(Settlement) }),
  },
});

export const leaseOperations = /* @__PURE__ */ serveCalls(
  { name: "facilitator", section: "Verify and settle", scope: "calls" },
  leases,
  {
    leasePermissions: {
      summary:
        "Reserve the credits of several requests, for a gate to decide alone for some seconds",
      tenancy: "refused",
      callerReadBy: "verb",
      lane: "verify",
      sample: (examples) => {
        const { agentRequestId: _, ...question } = samplePermission(examples);
        return { ...question, requests: 10, seconds: 5 };
      },
    },
    settleBatch: {
      summary: "Settle many requests at once, each once per request ID",
      tenancy: "refused",
      callerReadBy: "verb",
      lane: "settle",
      maxInput: 1024 * 1024,
      sample: (examples) => ({ items: [samplePermission(examples)] }),
    },
  },
);
