import "server-only";
import { randomUUID } from "node:crypto";
import { type OperationName, type PaymentOffer, planIdOf } from "@turnpike/payments/protocol";
import type { CallFault, CallFaults } from "@/lib/domain/sandbox-ports.ts";
import type { Fault, FaultKind } from "./card-processor/faults.ts";
import type { ArmedFault, FaultName, FaultRequest } from "./operations.ts";

export type LabParts = {
  cards?: ProcessorFaults | undefined;
  pauseChain?: ((isPaused: boolean) => Promise<void>) | undefined;
};

type Armed = ArmedFault & { until: number; timer: NodeJS.Timeout };

/** Which operation a fault makes fail, and how. */
const CALLS: Partial<Record<FaultName, { operation: OperationName; kind: CallFault["kind"] }>> = {
  "verify-down": { operation: "verifyPermissions", kind: "down" },
  "verify-slow": { operation: "verifyPermissions", kind: "slow" },
  "settle-down": { operation: "settlePermissions", kind: "down" },
  "settle-slow": { operation: "settlePermissions", kind: "slow" },
  "settle-reply-lost": { operation: "settlePermissions", kind: "reply-lost" },
  "order-reply-lost": { operation: "orderPlan", kind: "reply-lost" },
};

/** Makes parts of the sandbox fail, for everyone in it. Faults expire by the machine's clock, not the sandbox's. */
export interface FaultLab extends CallFaults {
  arm(request: FaultRequest): Promise<ArmedFault>;
  list(): ArmedFault[];
  /** Clears every fault, or one; returns how many. */
  clear(faultId?: string): Promise<number>;
  /** Whether the chain must appear unreachable. */
  isChainCut(): boolean;
}

/** The sandbox's failure lab. Faults are kept in memory, so a restart clears them. */
export function createFaultLab(parts: LabParts = {}): FaultLab {
  const cards = createCardFaults(parts.cards);
  let armed: Armed[] = [];

  const isOver = ({ left, until }: Armed) => left <= 0 || until <= Date.now();
  const live = (fault: FaultName) => armed.filter((each) => each.fault === fault && !isOver(each));

  function armCards(): void {
    cards.count(armed);
    cards.arm(armed.filter((each) => !isOver(each)));
  }

  async function end(gone: Armed[]): Promise<void> {
    for (const { timer } of gone) clearTimeout(timer);
    if (gone.some(({ fault }) => isCardFault(fault))) armCards();
    armed = armed.filter((each) => !gone.includes(each));
    const wasPaused = gone.some(({ fault }) => fault === "chain-paused");
    if (wasPaused && live("chain-paused").length === 0) await parts.pauseChain?.(false);
  }

  async function pause(entry: Armed): Promise<void> {
    try {
      await parts.pauseChain?.(true);
    } catch (cause) {
      await end([entry]).catch(() => {});
      throw cause;
    }
  }

  return {
    async arm(request) {
      const entry = armedOf(request, (expired) => void end([expired]).catch(() => {}));
      armed.push(entry);
      if (isCardFault(entry.fault)) armCards();
      if (entry.fault === "chain-paused") await pause(entry);
      return shown(entry);
    },
    list() {
      cards.count(armed);
      return armed.filter((each) => !isOver(each)).map(shown);
    },
    async clear(faultId) {
      cards.count(armed);
      const gone = armed.filter((each) => faultId === undefined || each.faultId === faultId);
      const count = gone.filter((each) => !isOver(each)).length;
      for (const each of gone) each.left = 0;
      await end(gone);
      return count;
    },
    take(operation, input) {
      const entry = armed.find(
        (each) =>
          CALLS[each.fault]?.operation === operation &&
          !isOver(each) &&
          (each.planId === undefined || isAbout(input, each.planId)),
      );
      const kind = entry && CALLS[entry.fault]?.kind;
      if (!kind) return null;
      entry.left -= 1;
      entry.struck += 1;
      return kind === "slow" ? { kind, ms: entry.delayMs } : { kind };
    },
    isChainCut: () => armed.length > 0 && live("chain-unreachable").length > 0,
  };
}

const shown = ({ until: _, timer: __, ...fault }: Armed): ArmedFault => fault;

function armedOf(request: FaultRequest, onExpired: (expired: Armed) => void): Armed {
  const { fault, times, durationSecs, delayMs, planId } = request;
  const until = Date.now() + durationSecs * 1000;
  const entry: Armed = {
    faultId: randomUUID(),
    fault,
    left: times,
    struck: 0,
    delayMs,
    ...(planId !== undefined && { planId }),
    endsAt: new Date(until).toISOString(),
    until,
    timer: setTimeout(() => onExpired(entry), durationSecs * 1000).unref(),
  };
  return entry;
}

/** Whether a call of verify, settle or order concerns this plan, in any of their forms. */
function isAbout(input: unknown, planId: string): boolean {
  const {
    planId: own,
    paymentRequired,
    paymentRequirements,
  } = (input ?? {}) as {
    planId?: string;
    paymentRequired?: { accepts: PaymentOffer[] };
    paymentRequirements?: PaymentOffer;
  };
  const offers = [...(paymentRequired?.accepts ?? []), paymentRequirements];
  return own === planId || offers.some((offer) => offer && planIdOf(offer) === planId);
}

/** The card processor's own faults, as far as the lab needs them. */
type ProcessorFaults = {
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

const isCardFault = (fault: FaultName): boolean => fault in KINDS;

/** Keeps the lab's card faults and the processor's the same. */
function createCardFaults(processor: ProcessorFaults | undefined) {
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
