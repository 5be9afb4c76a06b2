/**
 * The full amount of work of a long test in `npm run proof`, which sets `PROOF=full`, and a few of it in `npm test`.
 * `inFull(1_000, 100)` plans are generated.
 */
export const inFull = <T>(full: T, few: T): T => (process.env.PROOF === "full" ? full : few);
