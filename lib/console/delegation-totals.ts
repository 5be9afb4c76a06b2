import { Decimal, Money } from "@turnpike/payments/protocol";
import * as z from "zod/mini";

/** What is wrong with a delegation: unsigned, or with little of its life, its money or its charges left. */
export const DelegationAlertKind = z.enum(["signature", "time", "money", "charges"]);
export type DelegationAlertKind = z.output<typeof DelegationAlertKind>;

/** All delegations with one problem: how many, and those of them that expire first. */
export const DelegationAlert = z.object({
  kind: DelegationAlertKind,
  count: z.number(),
  delegations: z.array(
    z.object({
      delegationId: z.string(),
      name: z.optional(z.string()),
      expiresAt: z.string(),
      /** The whole percents of the limit in question that are used; of the life for `signature` and `time`. */
      usedPercent: z.number(),
    }),
  ),
  /** The active tokens that end with them, for `time` only: a token that ends before is not among them. */
  tokensEnding: z.number(),
  tokens: z.array(z.object({ tokenId: z.string(), planName: z.string() })),
});
export type DelegationAlert = z.output<typeof DelegationAlert>;

/** Sums over every delegation of the caller, by what they are paid in. */
export const DelegationTotals = z.object({
  now: z.string(),
  total: z.number(),
  /** Those that can be charged now. */
  active: z.number(),
  /** Neither revoked nor expired: what revoking all of them ends, with their active tokens. */
  open: z.number(),
  activeTokens: z.number(),
  /** When the first of the active ones expires. */
  firstExpiresAt: z.optional(z.string()),
  /** What the active ones can still spend and have reserved, in minor units of `currency`. */
  limits: z.array(
    z.object({
      currency: z.string(),
      remaining: Decimal,
      reserved: Decimal,
      reserving: z.number(),
    }),
  ),
  /** Orders paid through delegations in the last 30 days; `previous` is the sum of the 30 days before. */
  spent30d: z.array(z.extend(Money, { orders: z.number(), previous: Decimal })),
  alerts: z.array(DelegationAlert),
});
export type DelegationTotals = z.output<typeof DelegationTotals>;
