import type { Fault, FaultKind } from "./card-processor/faults.ts";
import type { ArmedFault, FaultName } from "./operations.ts";

/** The card processor's own faults, as far as the lab needs them. */
export type ProcessorFaults = {
  add: (fault: Fault) => void;
  clear: () => void;
  hits: () => Partial<Record<FaultKind, number>>;
};

const KINDS: Partial<Record<FaultName, FaultKind>> = {
  "card-request-lost": "lose-request",
  "card-reply-lost": "lose-reply",
  "card-slow": "delay",
  "card-error": "error-before",
  "card-error-after-effect": "error-after",
  "card-rate-limited": "rate-limit",
};
const CHARGES = "/v1/payment_intents";

export const isCardFault = (fault: FaultName): boolean => fault in KINDS;

/** Keeps the lab's card faults and the processor's the same. */
export function createCardFaults(processor: ProcessorFaults | undefined) {
  const counted: Partial<Record<FaultKind, number>> = { ...processor?.hits() };

  /** Takes the processor's new hits off the armed faults, oldest first. */
  function count(armed: readonly ArmedFault[]): void {
    const hits = processor?.hits() ?? {};
    for (const [fault, kind] of Object.entries(KINDS) as [FaultName, FaultKind][]) {
      let added = (hits[kind] ?? 0) - (counted[kind] ?? 0);
      counted[kind] = hits[kind] ?? 0;
      for (const each of armed.filter((one) => one.fault === fault)) {
        const taken = Math.min(added, each.left);
        each.left -= taken;
        each.struck += taken;
        added -= taken;
      }
    }
  }

  return {
    count,
    /** Gives the processor what is left of these; it knows no expiry. */
    arm(armed: readonly ArmedFault[]): void {
      processor?.clear();
      for (const { fault, left, delayMs } of armed) {
        const kind = KINDS[fault];
        if (kind && left > 0) processor?.add({ kind, path: CHARGES, times: left, ms: delayMs });
      }
    },
  };
}
