import * as z from "zod/mini";
import { DelegationSummary, PaymentMethodSummary } from "../delegation.ts";
import { GrantSignature, GrantToSign } from "../grants.ts";
import { byDelegation, DelegationRef } from "./delegations.ts";
import { defineCalls, serveCalls } from "./operation.ts";
import { Nothing } from "./shared.ts";

/** What delegations need besides their calls: a wallet's signature, a saved card, an end to all of them. */
export const grants = /* @__PURE__ */ defineCalls({
  /** Lists your saved cards. */
  listPaymentMethods: {
    route: "GET /payment-methods",
    input: Nothing,
    output: z.array(PaymentMethodSummary),
  },
  /** Gets what the owner's wallet must sign before the delegation is active. Throws `conflict`. */
  getGrant: {
    route: "GET /delegation/:delegationId/grant",
    args: byDelegation,
    input: DelegationRef,
    output: GrantToSign,
  },
  /** Submits the wallet's EIP-712 signature of the grant, which activates the delegation. */
  submitGrantSignature: {
    route: "POST /delegation/:delegationId/signature",
    repeatable: true,
    args: (delegationId: string, signature: string) => ({ delegationId, signature }),
    input: z.extend(DelegationRef, { signature: GrantSignature }),
    output: DelegationSummary,
  },
  /** Revokes all your delegations and every token under them immediately. */
  revokeAllDelegations: {
    route: "POST /delegation/revoke-all",
    repeatable: true,
    input: Nothing,
    output: z.object({
      success: z.literal(true),
      delegationsRevoked: z.number(),
      tokensRevoked: z.number(),
    }),
  },
});

export const grantOperations = /* @__PURE__ */ serveCalls(
  { name: "delegation", section: "Delegations and cards", scope: "delegations" },
  grants,
  {
    listPaymentMethods: { scope: "cards", summary: "List your saved cards" },
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
