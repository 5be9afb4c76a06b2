import * as z from "zod/mini";
import { MAX_TOKEN_LENGTH } from "./access-token.ts";
import { InvalidReason } from "./error-envelope.ts";
import { PaymentOffer, X402PaymentRequired } from "./payment-required.ts";
import { AgentRequestId, Decimal, IdempotencyKey, Uint256 } from "./primitives.ts";
import { RequestProof } from "./request-signature.ts";

const TokenText = z
  .string()
  .check(z.maxLength(MAX_TOKEN_LENGTH, `A token has at most ${MAX_TOKEN_LENGTH} characters.`));

/** The question of verify, in the SDK's form. `maxAmount` is in credits. */
export const VerifyInput = z.object({
  paymentRequired: X402PaymentRequired,
  x402AccessToken: TokenText,
  maxAmount: z.optional(Uint256),
  /** Reserve the credits until settle, release, or five minutes without a renewal. */
  reserve: z.optional(z.boolean()),
  /** Names the paid request, so that a repeated verify finds the same hold. */
  agentRequestId: z.optional(AgentRequestId),
  /** Names this attempt at the request, so that a verify that is sent again tells its own hold from another's. */
  attemptId: z.optional(AgentRequestId),
  /** Tells a wallet's client from others that know its payment by `exact`, which is public once it is captured. */
  requestDigest: z.optional(AgentRequestId),
  /** Names the paid request where `agentRequestId` does not: the `Idempotency-Key` header. */
  idempotencyKey: z.optional(IdempotencyKey),
  /** The request's signature, which a sender-constrained token needs until its credits are reserved. */
  proof: z.optional(RequestProof),
});
export type VerifyInput = z.output<typeof VerifyInput>;

/** The same question in a stock x402 facilitator's form. */
export const FacilitatorInput = z.object({
  x402Version: z.optional(z.literal(2)),
  paymentPayload: z.looseObject({}),
  paymentRequirements: PaymentOffer,
  idempotencyKey: z.optional(IdempotencyKey),
});
export type FacilitatorInput = z.output<typeof FacilitatorInput>;

/** Verify's answer (§2.5), with the earlier form's names beside it. */
export const Verification = z.union([
  z.object({
    isValid: z.literal(true),
    payer: z.string(),
    agentRequestId: z.string(),
    scheme: z.string(),
    network: z.string(),
    planId: z.string(),
    agentId: z.optional(z.string()),
    /** Credits a settle of this request would take. */
    credits: Decimal,
    balance: Decimal,
    /** When the hold expires; only with `reserve`. */
    reservedUntil: z.optional(z.string()),
    /** An earlier verify of the same request made the hold, of another attempt or of none; only with `reserve`. */
    isRepeat: z.optional(z.boolean()),
    /** A top-up order would have to run first. */
    needsOrder: z.optional(z.boolean()),
    subscriberAddress: z.string(),
    urlMatching: z.optional(z.string()),
  }),
  z.object({
    isValid: z.literal(false),
    invalidReason: InvalidReason,
    invalidMessage: z.optional(z.string()),
    /** A finer reason that concerns the payer, with the message's remedy: an agent may pass both on. */
    cause: z.optional(z.string()),
    /** With cause `pending_approval`: the decision it waits for, and the page where a person makes it. */
    approval: z.optional(z.object({ approvalId: z.string(), url: z.string() })),
    /** A finer reason, only for the plan's owner. */
    detail: z.optional(z.string()),
    payer: z.optional(z.string()),
    error: z.string(),
    network: z.optional(z.string()),
  }),
]);
export type Verification = z.output<typeof Verification>;

/** The order to settle: take `maxAmount` credits for the request `agentRequestId` (§4.1). */
export const SettleInput = z.omit(VerifyInput, { reserve: true, attemptId: true });
export type SettleInput = z.output<typeof SettleInput>;

/** The order to settle a request that its gate decided by a lease: it takes one of the lease's requests. */
export const LeasedInput = z.object({ leaseId: AgentRequestId, agentRequestId: AgentRequestId });
export type LeasedInput = z.output<typeof LeasedInput>;

const noLease = () => ({
  leaseId: z.optional(z.never("Expected the ID of a lease, with `agentRequestId` beside it.")),
});

/** What settles one request: a lease, or else a token. What names a lease is never charged to the token beside it. */
export const SettledInput = z.union([
  LeasedInput,
  z.extend(SettleInput, noLease()),
  z.extend(FacilitatorInput, noLease()),
]);

/**
 * A request's reservation after a renewal: `held` until `reservedUntil`, or what became of it; `unknown` when the caller
 * has no reservation under this id.
 */
export const RenewedReservation = z.object({
  agentRequestId: z.string(),
  state: z.enum(["held", "posted", "released", "expired", "unknown"]),
  reservedUntil: z.optional(z.string()),
});
export type RenewedReservation = z.output<typeof RenewedReservation>;

/** How far a settlement came on chain; `none` for plans that do not settle there. */
export const ChainStatus = z.enum(["none", "pending", "submitted", "included", "final", "failed"]);
export type ChainStatus = z.output<typeof ChainStatus>;

/** What the gate saw of the work, in the receipt of its answer; absent where there was no gate. */
const WorkOutcome = z.enum(["succeeded", "failed"]);

/** Settle's answer (§2.6), with the earlier form's names and a copy stock x402 clients keep (`extra`). */
export const Settlement = z.union([
  z.object({
    success: z.literal(true),
    payer: z.string(),
    transaction: z.string(),
    network: z.string(),
    creditsRedeemed: Decimal,
    remainingBalance: Decimal,
    agentRequestId: z.string(),
    planId: z.string(),
    orderTx: z.optional(z.string()),
    txHash: z.string(),
    amount: z.optional(z.string()),
    outcome: z.optional(WorkOutcome),
    extra: z.looseObject({
      creditsRedeemed: Decimal,
      remainingBalance: Decimal,
      agentRequestId: z.string(),
      planId: z.optional(z.string()),
      settlementId: z.string(),
      chainStatus: ChainStatus,
    }),
    /** `credits`: a token for the credits that a wallet bought with its request, and did not use. */
    extensions: z.optional(z.looseObject({})),
  }),
  z.object({
    success: z.literal(false),
    errorReason: z.string(),
    errorMessage: z.optional(z.string()),
    /** As in a verification that refuses. */
    cause: z.optional(z.string()),
    detail: z.optional(z.string()),
    payer: z.optional(z.string()),
    transaction: z.literal(""),
    network: z.string(),
    agentRequestId: z.optional(z.string()),
    outcome: z.optional(WorkOutcome),
    error: z.string(),
  }),
]);
export type Settlement = z.output<typeof Settlement>;

/** What the money of a request did, kept apart from its HTTP status. */
export const MoneyStatus = z.enum([
  "free",
  "challenged",
  "refused",
  "settled",
  "delivered-unsettled",
  "not-charged",
  "unknown",
]);
export type MoneyStatus = z.output<typeof MoneyStatus>;
