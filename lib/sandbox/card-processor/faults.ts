/**
 * What goes wrong with a request: it never arrives, its answer is lost after the effect, it waits first, or
 * it answers 500 or 429, before or after the effect.
 */
export type FaultKind =
  | "lose-request"
  | "lose-reply"
  | "delay"
  | "error-before"
  | "error-after"
  | "rate-limit";

export type Fault = {
  kind: FaultKind;
  /** Which requests: a method and the beginning of a path. Any POST when left out. */
  method?: string;
  path?: string;
  /** How many requests it hits; one when left out. */
  times?: number;
  /** How long a delay waits. */
  ms?: number;
};

export type Faults = {
  add: (fault: Fault) => void;
  clear: () => void;
  /** How often each kind was applied. */
  hits: () => Partial<Record<FaultKind, number>>;
};

/** Faults to come, and the one a request meets. */
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
