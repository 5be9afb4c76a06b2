import type { AlertKind } from "@turnpike/payments/protocol";

export type BuiltInRule = { ruleId: string; kind: AlertKind; threshold: number };

const THRESHOLDS: Record<AlertKind, number[]> = {
  "credits-below": [10],
  "credits-days": [2],
  "delegation-used": [50, 80, 95],
  "card-expiring": [14],
  "token-expiring": [3],
  "key-expiring": [7],
  unsettled: [10],
  "declined-rate": [25],
  "error-rate": [5],
  "doctor-failing": [1],
  "payout-failed": [1],
  "service-degraded": [2],
  "email-failing": [3],
};

/** What everyone is alerted of in the app, until a rule of their own takes its place. */
export const BUILT_IN_RULES: readonly BuiltInRule[] = Object.entries(THRESHOLDS).flatMap(
  ([kind, thresholds]) =>
    thresholds.map((threshold) => ({
      ruleId: `built-in-${kind}-${threshold}`,
      kind: kind as AlertKind,
      threshold,
    })),
);
