import { expect, test } from "vitest";
import type { Movement } from "@/lib/console/money.ts";
import { movementHref } from "./movement-href.ts";

const OF_ORDER = { planId: "42", orderId: "ord_1" };

const OF_PARTNER = { planId: "43", orderId: "ord_2" };

test.each<[string, Partial<Movement> & Pick<Movement, "kind" | "amount">, string | undefined]>([
  ["an order, to the order", { kind: "order", amount: "-5", ...OF_ORDER }, "/checkout/42/ord_1"],
  [
    "a refund received, to the order",
    { kind: "refund", amount: "5", ...OF_ORDER },
    "/checkout/42/ord_1",
  ],
  [
    "a refund given, to the plan",
    { kind: "refund", amount: "-5", ...OF_ORDER },
    "/plans/42?tab=activity",
  ],
  ["a sale, to its page", { kind: "sale", amount: "5", ...OF_ORDER }, "/balance/orders/ord_1"],
  [
    "a share of another owner's sale, nowhere",
    { kind: "sale", amount: "5", ...OF_PARTNER },
    undefined,
  ],
  [
    "a share of another owner's chargeback, nowhere",
    { kind: "chargeback", amount: "-5", ...OF_PARTNER },
    undefined,
  ],
  [
    "an order of another owner's plan, to the order",
    { kind: "order", amount: "-5", ...OF_PARTNER },
    "/checkout/43/ord_2",
  ],
  ["a payout", { kind: "payout", amount: "-5" }, "/balance/payouts"],
  [
    "a payment to a seller, to the calls",
    { kind: "exact", amount: "-5" },
    "/activity?role=subscriber",
  ],
  ["a deposit", { kind: "deposit", amount: "5" }, "/balance#deposit"],
])("%s leads there", (_, movement, href) => {
  const rest = { movementId: "m", at: "2026-01-02T10:00:00.000Z", currency: "usdc", isOpen: false };
  expect(movementHref({ ...rest, ...movement }, new Set(["42"]))).toBe(href);
});
