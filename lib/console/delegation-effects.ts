import { operations } from "@turnpike/payments/protocol";
import * as z from "zod/mini";

/** What revoking a delegation stops; lists have at most a hundred items. */
export const DelegationEffects = z.object({
  delegationId: z.string(),
  tokensEnding: z.number(),
  tokens: operations.listTokens.output.shape.items,
  agents: z.array(z.object({ agentId: z.string(), name: z.string() })),
  plans: z.array(z.object({ planId: z.string(), name: z.string() })),
  /** Plans whose renewal it pays for. */
  renewals: z.array(z.object({ planId: z.string(), name: z.string() })),
  /** API keys that create tokens under it. */
  apiKeys: z.array(z.object({ keyId: z.string(), name: z.string() })),
  /** Requests that were accepted and may still be settled. */
  requestsUnderWay: z.number(),
});
export type DelegationEffects = z.output<typeof DelegationEffects>;
