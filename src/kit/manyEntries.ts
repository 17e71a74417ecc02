/**
 * Options for a large LRU cache. With `max`, `lru-cache` allocates about 40 bytes for each possible entry at once: 4 MB
 * for 100,000 entries. With a limit on the sum of sizes it grows with its entries.
 */
export const manyEntries = (limit: number) => ({ maxSize: limit, sizeCalculation: () => 1 });
