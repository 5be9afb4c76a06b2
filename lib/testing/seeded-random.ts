/** Draws that look random and are the same for the same seed. */
export type Random = {
  /** A whole number from 0, below the bound. */
  below: (bound: number) => number;
  pick: <T>(from: readonly T[]) => T;
  chance: (percent: number) => boolean;
};

/** @example createRandom(7).pick(["a", "b"]) */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  // Mulberry32: small, and its low bits are as good as its high ones.
  const below = (bound: number) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
  return {
    below,
    pick: <T>(from: readonly T[]) => from[below(from.length)] as T,
    chance: (percent) => below(100) < percent,
  };
}
