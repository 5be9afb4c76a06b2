/** A small cache whose entries live for a fixed time. */
export type TtlCache<V> = {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
};

/** A cache of at most `maxEntries` values that each live `ttlMs`; a new one replaces the oldest. */
export function createTtlCache<V>(ttlMs: number, maxEntries: number): TtlCache<V> {
  const entries = new Map<string, { value: V; endsAt: number }>();
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry && entry.endsAt > Date.now()) return entry.value;
      entries.delete(key);
      return undefined;
    },
    set(key, value) {
      entries.delete(key);
      const [oldest] = entries.keys();
      if (entries.size >= maxEntries && oldest !== undefined) entries.delete(oldest);
      entries.set(key, { value, endsAt: Date.now() + ttlMs });
    },
    delete: (key) => void entries.delete(key),
  };
}
