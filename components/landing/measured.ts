/**
 * What the landing page says was measured. `row` is a row of `docs/proof.md`, and `says` what its figure in
 * `docs/proof.json` must contain: a test fails when a new measurement differs.
 */
export const MEASURED = [
  {
    row: "decisions",
    says: /1000000 questions, 0 disagreements/,
    value: "0",
    what: "wrong decisions in 1,000,000 payment checks",
    how: "Each generated question about verify and settle is decided twice: by the service and by a second implementation of the specification.",
  },
  {
    row: "one-subscriber",
    says: /one subscriber 1 operations for 1000 settles at 20\d gas \(1000 of 1000\), receipts (\d+) of \1, forged 0/,
    value: "1,000",
    what: "settlements in one operation on chain",
    how: "For one subscriber, about 208 gas each. Every receipt is proved on its own, and forged receipts fail.",
  },
  {
    row: "card-crashes",
    says: /23 of 23 held, broken rules 0/,
    value: "23 of 23",
    what: "crashes while a card was charged, 0 double charges",
    how: "The service is killed at every step of a card order and restarted. The ledger stays consistent.",
  },
] as const;
