import { type TestAPI, test } from "vitest";

const isFull = process.env.PROOF === "full";

/**
 * The full amount of work of a long test in `npm run proof`, which sets `PROOF=full`, and a few of it in `npm test`.
 * `inFull(1_000, 100)` plans are generated.
 */
export const inFull = <T>(full: T, few: T): T => (isFull ? full : few);

/** Cases of `test.each`: all of them in `npm run proof`, and the first few in `npm test`. */
export const firstCases = <const T>(few: number, cases: readonly T[]): readonly T[] =>
  inFull(cases, cases.slice(0, few));

const unregistered: unknown = new Proxy(() => unregistered, { get: () => unregistered });

/**
 * A test that takes seconds and is part of `npm run proof` alone, where its row `stores` runs all of them. Shorter tests
 * tell `npm test` what broke.
 */
export const longTest = inFull(test, unregistered as TestAPI);
