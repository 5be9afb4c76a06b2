import * as z from "zod/mini";
import { Decimal, mapOf } from "./primitives.ts";

/** EIP-712 typed data as wallets take it (`eth_signTypedData_v4`); numbers are decimal strings. */
export const TypedData = z.object({
  domain: z.object({
    name: z.string(),
    version: z.string(),
    chainId: z.number(),
    verifyingContract: z.string(),
  }),
  types: mapOf(z.array(z.object({ name: z.string(), type: z.string() }))),
  primaryType: z.string(),
  message: z.looseObject({}),
});
export type TypedData = z.output<typeof TypedData>;

/**
 * What the owner's wallet is to sign, and what it says in words: the caveat's bytes in `typedData` are these
 * terms, encoded. Nothing is sent to a chain and nothing is paid by signing.
 */
export const GrantToSign = z.object({
  delegationId: z.string(),
  /** Who has to sign: the owner of the account. */
  signer: z.string(),
  signBefore: z.string(),
  typedData: TypedData,
  terms: z.object({
    account: z.string(),
    sessionKeyAddress: z.string(),
    /** Empty means any plan of the account's choice. */
    planIds: z.array(z.string()),
    permissions: z.array(z.enum(["order", "burn"])),
    /** Calls the chain lets the key redeem in all; the ledger's limits are below it. */
    redemptionLimit: Decimal,
    orderToken: z.string(),
    /** In the token's smallest unit. */
    orderLimit: Decimal,
    /** Of the budgets at the time: what orders may cost in each UTC period, in the token's smallest unit. */
    periodLimits: z.optional(z.array(z.object({ period: z.string(), limit: Decimal }))),
    spendingLimitCents: Decimal,
    currency: z.string(),
    /** When the key stops ordering; burns of accepted requests may land a day later. */
    validUntil: z.string(),
    contracts: z.object({ plans: z.string(), credits: z.string(), enforcer: z.string() }),
  }),
});
export type GrantToSign = z.output<typeof GrantToSign>;

/** A wallet's signature of a grant: 65 bytes as `0x` and 130 hex digits. */
export const GrantSignature = z
  .string()
  .check(
    z.regex(/^0x[0-9a-fA-F]{130}$/, "Expected a signature of 65 bytes as 0x and 130 hex digits."),
  );
