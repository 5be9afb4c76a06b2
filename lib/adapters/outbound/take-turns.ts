import { refuse } from "./outbound-fault.ts";

const MAX_WAITING = 64;

/** A few requests of each account at a time; the others wait for their turn. */
export type Turns = {
  /** The way to give the turn back, safe to call twice. Throws the refusal. */
  take(account: string, signal: AbortSignal | undefined): Promise<() => void>;
};

/** Turns for at most `size` requests of an account at once, each waited for `waitMs` at most. */
export function takeTurns(size: number, waitMs: number): Turns {
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
    async take(account, signal) {
      const lane = lanes.get(account) ?? { running: 0, waiting: [] };
      lanes.set(account, lane);
      if (lane.running < size) {
        lane.running += 1;
        return once(account);
      }
      const tooMany = () =>
        refuse("too_many", `${size} requests of yours are under way. Wait for one of them to end.`);
      if (lane.waiting.length >= MAX_WAITING) throw tooMany();
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
