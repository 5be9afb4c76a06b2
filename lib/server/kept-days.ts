import { z } from "zod";
import type { KeptDays } from "@/lib/adapters/db/figures/retention.ts";

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
  variables: Record<`${"REPORTS" | "DELIVERIES" | "MAILS"}_KEPT_DAYS`, number>,
): KeptDays => ({
  reports: variables.REPORTS_KEPT_DAYS,
  deliveries: variables.DELIVERIES_KEPT_DAYS,
  mails: variables.MAILS_KEPT_DAYS,
});
