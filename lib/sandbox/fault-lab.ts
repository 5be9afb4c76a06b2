import "server-only";
import { randomUUID } from "node:crypto";
import { type OperationName, type PaymentOffer, planIdOf } from "@turnpike/payments/protocol";
import type { CallFault, CallFaults } from "@/lib/domain/sandbox-ports.ts";
import type { ArmedFault, FaultName, FaultRequest } from "./operations.ts";

/** The card processor's own faults, as far as the lab needs them. */
type CardFaults = {
  add: (fault: { kind: CardKind; path: string; times: number; ms: number }) => void;
  clear: () => void;
  struck: () => Partial<Record<CardKind, number>>;
};
type CardKind =
  | "lose-request"
  | "lose-reply"
  | "delay"
  | "error-before"
  | "error-after"
  | "rate-limit";

type LabParts = {
  cards?: CardFaults | undefined;
  /** Stops or lets go on orders on chain. */
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

const CARDS: Partial<Record<FaultName, CardKind>> = {
  "card-request-lost": "lose-request",
  "card-reply-lost": "lose-reply",
  "card-slow": "delay",
  "card-error": "error-before",
  "card-error-after-effect": "error-after",
  "card-rate-limited": "rate-limit",
};
const CHARGES = "/v1/payment_intents";

/** Makes parts of the sandbox fail, for everyone in it. Times are the machine's, not the sandbox's clock. */
export interface FaultLab extends CallFaults {
  arm(request: FaultRequest): Promise<ArmedFault>;
  list(): ArmedFault[];
  /** Clears every fault, or one; answers how many. */
  clear(faultId?: string): Promise<number>;
  /** Whether the chain is to look unreachable. */
  isChainCut(): boolean;
}

/** The sandbox's failure lab. Faults are in memory: a restart ends them all, but for a paused chain, which it lets go on. */
export function createFaultLab(parts: LabParts = {}): FaultLab {
  let armed: Armed[] = [];

  const isOver = ({ left, until }: Armed) => left <= 0 || until <= Date.now();
  const live = (fault: FaultName) => armed.filter((each) => each.fault === fault && !isOver(each));

  /** Card faults are counted by the processor; those that have struck are taken off the oldest first. */
  function countCards(): void {
    const struck = parts.cards?.struck() ?? {};
    for (const [fault, kind] of Object.entries(CARDS) as [FaultName, CardKind][]) {
      let news = (struck[kind] ?? 0) - (counted[kind] ?? 0);
      counted[kind] = struck[kind] ?? 0;
      for (const each of armed.filter((one) => one.fault === fault)) {
        const hits = Math.min(news, each.left);
        each.left -= hits;
        each.struck += hits;
        news -= hits;
      }
    }
  }
  const counted: Partial<Record<CardKind, number>> = { ...parts.cards?.struck() };

  /** Tells the processor what is left; it knows no end by time. */
  function armCards(): void {
    countCards();
    parts.cards?.clear();
    for (const { fault, left, delayMs, until } of armed) {
      const kind = CARDS[fault];
      if (!kind || left <= 0 || until <= Date.now()) continue;
      parts.cards?.add({ kind, path: CHARGES, times: left, ms: delayMs });
    }
  }

  async function end(gone: Armed[]): Promise<void> {
    for (const { timer } of gone) clearTimeout(timer);
    if (gone.some(({ fault }) => fault in CARDS)) armCards();
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

  const shown = ({ until: _, timer: __, ...fault }: Armed): ArmedFault => fault;

  return {
    async arm({ fault, times, durationSecs, delayMs, planId }: FaultRequest) {
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
        timer: setTimeout(() => void end([entry]).catch(() => {}), durationSecs * 1000).unref(),
      };
      armed.push(entry);
      if (fault in CARDS) armCards();
      if (fault === "chain-paused") await pause(entry);
      return shown(entry);
    },
    list() {
      countCards();
      return armed.filter((each) => !isOver(each)).map(shown);
    },
    async clear(faultId) {
      countCards();
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

/** Whether a call of verify, settle or order is about this plan, in any of their forms. */
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
