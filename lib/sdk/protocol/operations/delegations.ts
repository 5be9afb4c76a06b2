import * as z from "zod/mini";
import {
  CreateDelegationPayload,
  DelegationQuery,
  DelegationStatus,
  DelegationSummary,
  PaymentMethodSummary,
} from "../delegation.ts";
import { GrantSignature, GrantToSign } from "../grants.ts";
import { pageOf } from "../listing.ts";
import { sampleLimits, samplePage } from "./examples.ts";
import { defineCalls, serveCalls } from "./operation.ts";
import { Nothing } from "./shared.ts";

const DelegationRef = z.object({ delegationId: z.string().check(z.maxLength(64)) });

const byDelegation = (delegationId: string) => ({ delegationId });

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
    method: "POST",
    path: "/delegation/create",
    input: CreateDelegationPayload,
    output: NewDelegation,
  },
  /** Lists your saved cards. */
  listPaymentMethods: {
    method: "GET",
    path: "/payment-methods",
    input: Nothing,
    output: z.array(PaymentMethodSummary),
  },
  /** Lists your delegations and their remaining budgets. */
  listDelegations: {
    method: "GET",
    path: "/delegation",
    input: DelegationQuery,
    output: z.extend(pageOf(DelegationSummary), {
      delegations: z.array(DelegationSummary),
      totalResults: z.number(),
    }),
  },
  /** Gets one of your delegations. Throws `not_found`. */
  getDelegation: {
    method: "GET",
    path: "/delegation/:delegationId",
    args: byDelegation,
    input: DelegationRef,
    output: DelegationSummary,
  },
  /** Revokes a delegation and every token under it immediately. */
  revokeDelegation: {
    method: "DELETE",
    path: "/delegation/:delegationId",
    args: byDelegation,
    input: DelegationRef,
    output: z.object({ success: z.literal(true), tokensRevoked: z.number() }),
  },
  /** Gets what the owner's wallet must sign before the delegation is active. Throws `conflict`. */
  getGrant: {
    method: "GET",
    path: "/delegation/:delegationId/grant",
    args: byDelegation,
    input: DelegationRef,
    output: GrantToSign,
  },
  /** Submits the wallet's EIP-712 signature of the grant, which activates the delegation. */
  submitGrantSignature: {
    method: "POST",
    path: "/delegation/:delegationId/signature",
    repeatable: true,
    args: (delegationId: string, signature: string) => ({ delegationId, signature }),
    input: z.extend(DelegationRef, { signature: GrantSignature }),
    output: DelegationSummary,
  },
  /** Revokes all your delegations and every token under them immediately. */
  revokeAllDelegations: {
    method: "POST",
    path: "/delegation/revoke-all",
    repeatable: true,
    input: Nothing,
    output: z.object({
      success: z.literal(true),
      delegationsRevoked: z.number(),
      tokensRevoked: z.number(),
    }),
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
    listPaymentMethods: { scope: "cards", summary: "List your saved cards" },
    listDelegations: {
      summary: "List your delegations and their remaining budgets",
      sample: () => ({ ...samplePage, name: "For a while", state: "live" }),
    },
    getDelegation: { summary: "Get one of your delegations" },
    revokeDelegation: { summary: "Revoke a delegation and every token under it immediately" },
    getGrant: {
      summary: "Get what the owner's wallet must sign before the delegation is active",
      sample: ({ spare }) => ({ delegationId: spare.unsignedGrantId }),
    },
    submitGrantSignature: {
      summary: "Submit the wallet's signature, which activates the delegation",
      sample: ({ spare }) => ({
        delegationId: spare.unsignedId,
        signature: spare.grantSignature,
      }),
    },
    revokeAllDelegations: {
      summary: "Revoke all your delegations and every token under them immediately",
      tenancy: "own rows",
    },
  },
);
