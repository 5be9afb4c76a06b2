import * as z from "zod/mini";
import { ChainStatus } from "./permission.ts";
import { Decimal } from "./primitives.ts";

/**
 * A settlement anyone who has its id can look up and check: the id is random, and it says no more than the
 * chain does. For a burn in a block: hash the leaf as `proof.leafTypes` say (OpenZeppelin's standard tree),
 * walk `siblings` to `root`, and find an event with this root in the transaction at `credits`.
 */
export const Receipt = z.object({
  settlementId: z.string(),
  settledAt: z.string(),
  planId: z.string(),
  planName: z.string(),
  agentId: z.optional(z.string()),
  payer: z.string(),
  payee: z.string(),
  scheme: z.string(),
  network: z.string(),
  creditsRedeemed: Decimal,
  remainingBalance: z.optional(Decimal),
  agentRequestId: z.optional(z.string()),
  orderTx: z.optional(z.string()),
  chainStatus: ChainStatus,
  transaction: z.string(),
  /** The paid URL and the receipt signed for it, in the forms of x402's `offer-receipt`; for a URL of the payee's own. */
  resourceUrl: z.optional(z.string()),
  signed: z.optional(z.array(z.looseObject({ format: z.string(), signature: z.string() }))),
  /** For settlements that go on chain. */
  chain: z.optional(z.object({ chainId: z.number(), credits: z.string() })),
  proof: z.optional(
    z.object({
      /** `["string", "uint256"]`: a request id and its credits. */
      leafTypes: z.array(z.string()),
      leaf: z.array(z.string()),
      siblings: z.array(z.string()),
      root: z.string(),
      userOperationHash: z.string(),
    }),
  ),
});
export type Receipt = z.output<typeof Receipt>;
