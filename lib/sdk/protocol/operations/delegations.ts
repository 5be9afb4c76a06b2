import * as z from "zod/mini";
import {
  CreateDelegationPayload,
  DelegationQuery,
  DelegationStatus,
  DelegationSummary,
} from "../delegation.ts";
import { GrantToSign } from "../grants.ts";
import { pageOf } from "../listing.ts";
import { sampleLimits, samplePage } from "./examples.ts";
import { defineCalls, serveCalls } from "./operation.ts";

export const DelegationRef = z.object({ delegationId: z.string().check(z.maxLength(64)) });

export const byDelegation = (delegationId: string) => ({ delegationId });

export const NewDelegation = z.object({
  delegationId: z.string(),
  expiresAt: z.string(),
  status: DelegationStatus,
  /** What the owner's wallet has to sign first; with status `AwaitingSignature`. */
  grant: z.optional(GrantToSign),
});

export const delegation = /* @__PURE__ */ defineCalls({
  /** Allows spending up to a limit, in minor currency units, for a time in seconds (§2.3). */
  createDelegation: {
    route: "POST /delegation/create",
    input: CreateDelegationPayload,
    output: NewDelegation,
  },
  /** Lists your delegations and their remaining budgets. */
  listDelegations: {
    route: "GET /delegation",
    input: DelegationQuery,
    output: z.extend(pageOf(DelegationSummary), {
      delegations: z.array(DelegationSummary),
      totalResults: z.number(),
    }),
  },
  /** Gets one of your delegations. Throws `not_found`. */
  getDelegation: {
    route: "GET /delegation/:delegationId",
    args: byDelegation,
    input: DelegationRef,
    output: DelegationSummary,
  },
  /** Revokes a delegation and every token under it immediately. */
  revokeDelegation: {
    route: "DELETE /delegation/:delegationId",
    args: byDelegation,
    input: DelegationRef,
    output: z.object({ success: z.literal(true), tokensRevoked: z.number() }),
  },
});

export const delegationOperations = /* @__PURE__ */ serveCalls(
  { name: "delegation", section: "Delegations and cards", scope: "delegations" },
  delegation,
  {
    createDelegation: {
      summary: "Allow spending up to a limit for a time",
      sample: ({ planId }) => ({
        provider: "erc4337",
        ...sampleLimits,
        name: "For a while",
        maxTransactions: 5,
        orderLimit: "7",
        planIds: [planId],
        planId,
      }),
    },
    listDelegations: {
      summary: "List your delegations and their remaining budgets",
      sample: () => ({ ...samplePage, name: "For a while", state: "live" }),
    },
    getDelegation: { summary: "Get one of your delegations" },
    revokeDelegation: { summary: "Revoke a delegation and every token under it immediately" },
  },
);
