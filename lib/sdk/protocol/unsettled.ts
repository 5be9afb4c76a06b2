import * as z from "zod/mini";
import { RequestRecord } from "./activity.ts";

/**
 * What can be done about a delivered request that is not settled. `settle`: the service can, it still knows
 * the permission that was checked. `gate`: only the gate's journal can, for the service keeps no tokens.
 * `ended`: the permission is revoked or expired, and nothing can be charged. `order`: insufficient credits.
 */
export const UnsettledAdvice = z.enum(["settle", "gate", "ended", "order"]);
export type UnsettledAdvice = z.output<typeof UnsettledAdvice>;

export const UnsettledRequest = z.extend(RequestRecord, {
  advice: UnsettledAdvice,
  /** The most a settle would take. */
  creditsDue: z.optional(z.string()),
  /** Until when the permission may be used. */
  settleBefore: z.optional(z.string()),
});
export type UnsettledRequest = z.output<typeof UnsettledRequest>;
