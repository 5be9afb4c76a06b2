import { z } from "zod";
import type { KeptDays } from "@/lib/adapters/db/figures/retention.ts";
/** Values of settings: a port, a key as hex, calls a minute, an origin, an address of Postgres, a switch, days. */

export const port = (fallback: number) =>
  z.coerce.number().int().min(0).max(65_535).default(fallback);
export const hexKey = (bytes: number) =>
  z
    .string()
    .regex(new RegExp(`^(0x)?[0-9a-fA-F]{${bytes * 2}}$`), `Expected ${bytes} bytes as hex.`);
/** Calls per minute; 0 is unlimited. */
export const rate = (fallback: number) =>
  z.coerce.number().int().min(0).max(100_000_000).default(fallback);
/** Where people and agents reach the service, without the slash that links begin with. */
export const origin = z
  .url({ protocol: /^https?$/ })
  .refine(
    (text) => URL.canParse(text) && new URL(text).href === `${new URL(text).origin}/`,
    "Expected scheme, host and port alone, as in https://pay.example.",
  )
  .transform((text) => new URL(text).origin)
  .optional();
export const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, "Expected postgres://…")
  .optional();
export const flag = z
  .enum(["true", "false", "1", "0", ""])
  .default("false")
  .transform((value) => value === "true" || value === "1");

/** A setting in days. Figures read reports of thirty days, and pages count deliveries and mails of seven: no fewer are kept. */
export const keptDays = (least: number, fallback: number) =>
  z.coerce
    .number()
    .int()
    .max(36_500)
    .refine((n) => n === 0 || n >= least, `Expected 0 to keep them, or at least ${least} days.`)
    .default(fallback);

/** For how many days rows beside the ledger are kept. */
export const readKeptDays = (
  variables: Record<`${"REPORTS" | "DELIVERIES" | "MAILS" | "EVENTS"}_KEPT_DAYS`, number>,
): KeptDays => ({
  reports: variables.REPORTS_KEPT_DAYS,
  deliveries: variables.DELIVERIES_KEPT_DAYS,
  mails: variables.MAILS_KEPT_DAYS,
  events: variables.EVENTS_KEPT_DAYS,
});
