import { pause } from "../waiting/pause.ts";

const POLL_MS = 50;
/** Calls last as long as their agent works: a stream must not hold another call up. */
const WAIT_MS = 10_000;

type Crowd = ReturnType<typeof createCrowd>;
export type CountedToken = ReturnType<Crowd["count"]>;

/**
 * Calls of one kind that are under way, and the orders that may have been made for them. The invariant: no more `orders` than
 * `active` calls, so that a seller that takes each order and refuses the call gets no more orders than calls. A token that may
 * order counts from its mint until it is known to have ordered nothing. Each call that ends takes one order with it, its own or
 * one whose credits it used: so behind an honest gate, a call whose order was used up by others has room for another.
 */
function createCrowd() {
  let active = 0;
  let orders = 0;
  /** Tokens that ended without an order, and no call was served meanwhile: others would be refused as well. */
  let unused = 0;
  let served = 0;
  let waiting = 0;

  const takeOff = () => {
    orders = Math.max(0, orders - 1);
  };

  return {
    enter() {
      active += 1;
    },

    /** Whether it was the last one. */
    leave(isServed: boolean): boolean {
      active -= 1;
      takeOff();
      unused = isServed ? 0 : Math.max(0, unused - 1);
      if (isServed) served += 1;
      return active === 0;
    },

    /** Counts a token that is minted, until either is known. */
    count() {
      orders += 1;
      const before = served;
      return {
        /** It cannot order. */
        takeOff,
        /** It has ended and ordered nothing. */
        endUnused() {
          takeOff();
          if (served === before) unused += 1;
        },
      };
    },

    /** Waits until a token may be minted, or is `known`. False where no other call is left to wait for, or none ends in time. */
    async hasRoom(isKnown: () => boolean, signal: AbortSignal): Promise<boolean> {
      waiting += 1;
      const until = performance.now() + WAIT_MS;
      try {
        while (!isKnown() && orders + unused >= active) {
          if (waiting === active || performance.now() >= until) return false;
          await pause(POLL_MS, signal);
        }
        return true;
      } finally {
        waiting -= 1;
      }
    },
  };
}

/** The crowds of one instance, by the kind of their calls. */
export function createCrowds() {
  const crowds = new Map<string, Crowd>();
  return {
    get: (key: string) => crowds.get(key),

    /** A call of a kind begins, beside others of it. */
    enter(key: string): Crowd {
      const crowd = crowds.get(key) ?? createCrowd();
      crowds.set(key, crowd);
      crowd.enter();
      return crowd;
    },

    leave(key: string, isServed: boolean): void {
      if (crowds.get(key)?.leave(isServed)) crowds.delete(key);
    },
  };
}
