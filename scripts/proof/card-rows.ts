import { find, node, type ProofRow, same, testsPassed, vitest } from "./figures.ts";

/** The promises about cards. */
export const CARD_ROWS: ProofRow[] = [
  {
    id: "card-demo",
    area: "cards",
    show: "the demo on the card plan, by a test card",
    bar: "token of svc:card-delegation with all five options, 402 then 200, the processor's ledger and ours match",
    command: node("scripts/proof/card-demo.ts"),
    figure: (output) => find(output, /card demo: (.*)/)[0] as string,
  },
  {
    id: "card-crashes",
    area: "cards",
    show: "kill -9 of the service before and after every step, replies lost and late, two workers",
    bar: "never two charges, never a charge without credits or a refund, no broken invariant",
    command: node("scripts/proof/card-crashes.ts"),
    figure: (output) => {
      const [held = "", all = "", broken = ""] = find(
        output,
        /card crashes: (\d+) of (\d+) held, broken rules (\d+)/,
      );
      return `${same("crashes held", held, all)} of ${all}, ${same("broken rules", broken, "0")}`;
    },
  },
  {
    id: "card-webhooks",
    area: "cards",
    show: "every order of six webhook events, duplicated; events between the steps; forged and stale events",
    bar: "the same result; 400 and nothing written",
    command: [
      "env",
      "WEBHOOK_ORDERS=720",
      ...vitest("lib/server/http/card-webhooks.test.ts", "lib/adapters/cards/webhook.test.ts"),
    ],
    figure: (output) => {
      const runs = [
        ...output.matchAll(/card webhooks: (\d+) orders, (\d+) events, (\d+) end states/g),
      ];
      if (runs.length !== 2) throw new Error(`printed ${runs.length} of 2 runs`);
      const each = runs.map(
        ([, orders = "", events, ends = ""]) =>
          `${same("orders", orders, "720")}, ${events} events, ${same("end states", ends, "1")}`,
      );
      return `${each.join("; ")}; ${testsPassed(output)}`;
    },
  },
  {
    id: "card-limits",
    area: "cards",
    show: "100 top-ups at once under a spending limit, and under maxTransactions",
    bar: "charges never exceed the limit or maxTransactions",
    command: vitest("lib/adapters/cards/card-service.test.ts", "-t", "100 top-ups at once"),
    figure: testsPassed,
  },
  {
    id: "card-declines",
    area: "cards",
    show: "each decline and authentication required, refunds, chargebacks, deadlines, saved cards",
    bar: "its own code, message and next step in the answer; no credits; ledgers match",
    command: vitest(
      "lib/adapters/cards/card-rail.test.ts",
      "lib/domain/orders/card-orders.test.ts",
      "lib/domain/accounts/payment-methods.test.ts",
      "lib/domain/orders/card-prices.test.ts",
    ),
    figure: testsPassed,
  },
  {
    id: "card-secrets",
    area: "cards",
    show: "canaries of card number, payment method, customer, client secret and keys over the whole flow",
    bar: "in no log, error, trace or response, and in no column that does not need them",
    command: vitest("lib/adapters/cards/card-secrets.test.ts"),
    figure: testsPassed,
  },
];
