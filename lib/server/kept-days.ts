import { z } from "zod";
import type { KeptDays } from "@/lib/adapters/db/retention.ts";

const days = (least: number, fallback: number) =>
  z.coerce
    .number()
    .int()
    .max(36_500)
    .refine((n) => n === 0 || n >= least, `Expected 0 to keep them, or at least ${least} days.`)
    .default(fallback);

/** Figures read reports of thirty days, and pages count deliveries and mails of seven. */
export const keptDaysVariables = {
  REPORTS_KEPT_DAYS: days(30, 30),
  DELIVERIES_KEPT_DAYS: days(7, 90),
  MAILS_KEPT_DAYS: days(7, 90),
};

/** For how many days rows beside the ledger are kept. */
export const readKeptDays = (
  variables: Record<keyof typeof keptDaysVariables, number>,
): KeptDays => ({
  reports: variables.REPORTS_KEPT_DAYS,
  deliveries: variables.DELIVERIES_KEPT_DAYS,
  mails: variables.MAILS_KEPT_DAYS,
});
