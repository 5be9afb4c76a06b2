/** One sum of money and its limit: of a day, or of a seller on a day. It may be forgotten after `expiresAt`. */
export type SpendCounter = { key: string; limit: bigint; expiresAt: Date };

/**
 * Where spending is counted, in cents. Processes that share a store share their limits: implement it on a database
 * whose `add` is one atomic step. A store that throws stops purchases.
 */
export type SpendStore = {
  /** Adds the cents to every counter, or to none where one would exceed its limit; tells whether they were added. */
  add(counters: readonly SpendCounter[], cents: bigint): Promise<boolean>;
  /** Takes back cents that were added and not spent. */
  subtract(keys: readonly string[], cents: bigint): Promise<void>;
};

/** The clock may have been a day ahead when a counter was made or another added to. */
const KEPT_MS = 86_400_000;
const SWEEP_EVERY_MS = 60_000;

/** A store in memory: it counts for one process, until that ends. */
export function createSpendStore(): SpendStore {
  const sums = new Map<string, { cents: bigint; expiresAt: Date }>();
  let sweptAt = 0;
  const sumOf = (key: string) => sums.get(key)?.cents ?? 0n;
  return {
    async add(counters, cents) {
      const before = Date.now() - KEPT_MS;
      // Each named call of a day has a counter.
      if (Math.abs(before - sweptAt) >= SWEEP_EVERY_MS) {
        sweptAt = before;
        for (const [key, { expiresAt }] of sums) if (+expiresAt <= before) sums.delete(key);
      }
      if (counters.some(({ key, limit }) => sumOf(key) + cents > limit)) return false;
      for (const { key, expiresAt } of counters)
        sums.set(key, { cents: sumOf(key) + cents, expiresAt });
      return true;
    },
    async subtract(keys, cents) {
      for (const key of keys) {
        const sum = sums.get(key);
        if (sum) sum.cents = sum.cents > cents ? sum.cents - cents : 0n;
      }
    },
  };
}
