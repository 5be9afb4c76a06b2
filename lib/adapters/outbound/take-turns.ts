import { refuse } from "./outbound-fault.ts";

const MAX_WAITING = 64;

/** Limits each account to a few requests at a time; others wait in line. */
export type Turns = ReturnType<typeof takeTurns>;

/** Allows `size` requests of an account at once; others wait up to `waitMs`. */
export function takeTurns(size: number, waitMs: number) {
  const lanes = new Map<string, { running: number; waiting: (() => void)[] }>();

  const giveBack = (account: string) => {
    const lane = lanes.get(account);
    if (!lane) return;
    const next = lane.waiting.shift();
    if (next) return next();
    lane.running -= 1;
    if (lane.running === 0) lanes.delete(account);
  };
  const once = (account: string) => {
    let isDone = false;
    return () => {
      if (!isDone) giveBack(account);
      isDone = true;
    };
  };

  return {
    /** Releases the slot; safe to call twice. Throws a fault if the wait is too long. */
    async take(account: string, signal: AbortSignal | undefined): Promise<() => void> {
      const lane = lanes.get(account) ?? { running: 0, waiting: [] };
      lanes.set(account, lane);
      if (lane.running < size) {
        lane.running += 1;
        return once(account);
      }
      const tooMany = () =>
        refuse("too_many", `You already have ${size} requests running. Wait for one to finish.`);
      // A caller that left before waiting gets no abort event.
      if (lane.waiting.length >= MAX_WAITING || signal?.aborted) throw tooMany();
      return new Promise((taken, failed) => {
        const leave = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", giveUp);
          const at = lane.waiting.indexOf(go);
          if (at >= 0) lane.waiting.splice(at, 1);
        };
        const go = () => {
          leave();
          taken(once(account));
        };
        const giveUp = () => {
          leave();
          failed(tooMany());
        };
        const timer = setTimeout(giveUp, waitMs);
        signal?.addEventListener("abort", giveUp, { once: true });
        lane.waiting.push(go);
      });
    },
  };
}
