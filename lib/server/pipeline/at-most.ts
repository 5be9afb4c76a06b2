/** Bounds an `LRUCache` by its entries. Its `max` fills lists of that length in advance: a millisecond for each 10 000. */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
