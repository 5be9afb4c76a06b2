/**
 * Bounds an `LRUCache` by its entries. Its `max` fills lists of that length in advance: a millisecond for each 10 000. Where
 * entries age, it reads the time once a second: by default it starts a timer for each millisecond in which it is asked.
 */
export const atMost = (entries: number) => ({
  maxSize: entries,
  sizeCalculation: () => 1,
  ttlResolution: 1_000,
});
