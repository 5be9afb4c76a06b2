/** A small cache whose entries expire. */
export type TtlCache<V> = {
  get(key: string): V | undefined;
  /** `ttlMs` overrides the cache's own. */
  set(key: string, value: V, ttlMs?: number): void;
  delete(key: string): void;
};

/** A cache of at most `maxEntries` values that each live `defaultTtlMs`; a new one replaces the oldest. */
export function createTtlCache<V>(defaultTtlMs: number, maxEntries: number): TtlCache<V> {
  const entries = new Map<string, { value: V; endsAt: number }>();
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry && entry.endsAt > performance.now()) return entry.value;
      entries.delete(key);
      return undefined;
    },
    set(key, value, ttlMs = defaultTtlMs) {
      entries.delete(key);
      const [oldest] = entries.keys();
      if (entries.size >= maxEntries && oldest !== undefined) entries.delete(oldest);
      entries.set(key, { value, endsAt: performance.now() + ttlMs });
    },
    delete: (key) => void entries.delete(key),
  };
}
