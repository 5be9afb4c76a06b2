/**
 * How a request fails: it never arrives, its answer is lost after the effect, it is delayed, or it gets 500 or 429,
 * before or after the effect. A 500 from while it ran is repeated under its idempotency key, with an effect or without.
 */
export type FaultKind =
  | "lose-request"
  | "lose-reply"
  | "delay"
  | "error-before"
  | "error-kept"
  | "error-after"
  | "rate-limit";

export type Fault = {
  kind: FaultKind;
  /** Affects requests with this method and path prefix; any POST by default. */
  method?: string;
  path?: string;
  /** How many requests it affects; one by default. */
  times?: number;
  /** The length of a delay, or what it waits for. */
  ms?: number;
  until?: Promise<unknown>;
};

export type Faults = {
  add: (fault: Fault) => void;
  clear: () => void;
  /** How often each kind was applied. */
  hits: () => Partial<Record<FaultKind, number>>;
};

/** Pending faults, and the one that a request takes. */
export function createFaults(): Faults & { take: (method: string, path: string) => Fault | null } {
  let waiting: (Fault & { left: number })[] = [];
  const counts: Partial<Record<FaultKind, number>> = {};
  return {
    add: (fault) => waiting.push({ ...fault, left: fault.times ?? 1 }),
    clear: () => {
      waiting = [];
    },
    hits: () => ({ ...counts }),
    take(method, path) {
      const fault = waiting.find(
        (each) => (each.method ?? "POST") === method && path.startsWith(each.path ?? "/v1/"),
      );
      if (!fault) return null;
      fault.left -= 1;
      if (fault.left === 0) waiting = waiting.filter((each) => each !== fault);
      counts[fault.kind] = (counts[fault.kind] ?? 0) + 1;
      return fault;
    },
  };
}
