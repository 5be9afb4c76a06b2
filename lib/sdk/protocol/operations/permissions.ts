import * as z from "zod/mini";
import { buildPaymentRequired } from "../payment-required.ts";
import {
  FacilitatorInput,
  RenewedReservation,
  SettledInput,
  Settlement,
  Verification,
  VerifyInput,
} from "../permission.ts";
import { Plan } from "../plans/plan.ts";
import { AgentRequestId, Decimal } from "../primitives.ts";
import type { Examples } from "./examples.ts";
import { defineCalls, serveCalls } from "./operation.ts";
import { RequestRef } from "./shared.ts";

/** A settlement waits for a chain or a card. */
const SETTLE_TIMEOUT_MS = 60_000;

/** What the sample agent asks for. */
export const sampleRequirement = ({
  planId,
  agentId,
  endpoint,
}: Pick<Examples, "planId" | "agentId" | "endpoint">) =>
  buildPaymentRequired({ planId, agentId, endpoint, httpVerb: "POST" });

export const samplePermission = (examples: Examples) => ({
  paymentRequired: sampleRequirement(examples),
  x402AccessToken: examples.token,
  maxAmount: "1",
  agentRequestId: examples.freshId(),
});

export const facilitator = /* @__PURE__ */ defineCalls({
  verifyPermissions: {
    route: "POST /x402/verify",
    repeatable: true,
    input: z.union([VerifyInput, FacilitatorInput]),
    output: Verification,
  },
  settlePermissions: {
    route: "POST /x402/settle",
    timeoutMs: SETTLE_TIMEOUT_MS,
    repeatKey: "agentRequestId",
    repeatKeyPrefix: "req_",
    input: SettledInput,
    output: Settlement,
  },
  releasePermissions: {
    route: "POST /x402/release",
    repeatable: true,
    input: RequestRef,
    output: z.object({ success: z.literal(true), released: Decimal }),
  },
  renewPermissions: {
    route: "POST /x402/renew",
    repeatable: true,
    input: z.object({
      agentRequestIds: z.array(AgentRequestId).check(z.minLength(1), z.maxLength(1000)),
    }),
    output: z.object({ items: z.array(RenewedReservation) }),
  },
  /** The plan behind a route with a `price`; made when it is first asked for. */
  getPricedPlan: {
    route: "POST /x402/priced-plans",
    repeatable: true,
    input: z.object({ price: z.string() }),
    output: Plan,
  },
});

export const facilitatorOperations = /* @__PURE__ */ serveCalls(
  { name: "facilitator", section: "Verify and settle", scope: "calls" },
  facilitator,
  {
    verifyPermissions: {
      summary: "Check a token for a request without charging it",
      tenancy: "refused",
      callerReadBy: "verb",
      lane: "verify",
      maxMembers: 4_096,
      span: { name: "svc:verify", prefix: "svc.verify" },
      sample: (examples) => ({ ...samplePermission(examples), reserve: false }),
    },
    settlePermissions: {
      summary: "Charge the credits of a delivered request, once per request ID",
      tenancy: "refused",
      callerReadBy: "verb",
      lane: "settle",
      maxMembers: 4_096,
      span: { name: "svc:settlement", prefix: "svc.settle" },
      sample: samplePermission,
    },
    releasePermissions: {
      summary: "Release the credits reserved for a request that was not delivered",
      tenancy: "not found",
      lane: "settle",
      sample: ({ spare }) => ({ agentRequestId: spare.heldId }),
    },
    renewPermissions: {
      summary: "Renew the reservations of requests that are still in progress",
      tenancy: "own rows",
      lane: "settle",
      sample: ({ spare }) => ({ agentRequestIds: [spare.heldId] }),
    },
    getPricedPlan: {
      summary: "Get the plan behind a route with a price, created on first use",
      tenancy: "own rows",
      sample: () => ({ price: "$0.01" }),
    },
  },
);
