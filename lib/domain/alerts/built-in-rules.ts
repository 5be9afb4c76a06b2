import type { AlertKind } from "@turnpike/payments/protocol";
import { ALERT_KINDS } from "@/lib/console/alert-kinds.ts";

export type BuiltInRule = { ruleId: string; kind: AlertKind; threshold: number; email: boolean };

/** What everyone is alerted of, until a rule of their own takes its place. */
export const BUILT_IN_RULES: readonly BuiltInRule[] = Object.entries(ALERT_KINDS).flatMap(
  ([kind, { builtIn, mail }]) =>
    builtIn.map((threshold) => ({
      ruleId: `built-in-${kind}-${threshold}`,
      kind: kind as AlertKind,
      threshold,
      email: mail === "built-in",
    })),
);
