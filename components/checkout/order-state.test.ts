import { describe, expect, test } from "vitest";
import { declineTitle, measureUsual, orderStateOf, pollDelayMs } from "./order-state.ts";

describe("the state of an order", () => {
  const state = (status: Parameters<typeof orderStateOf>[0], ageMs: number, isCard = false) =>
    orderStateOf(status, { ageMs, isCard });

  test("a charge is unknown once the service stops waiting for it, by card and on chain", () => {
    expect(state("charging", 20_000)).toBe("unknown");
    expect(state("charging", 20_000, true)).toBe("unknown");
    expect(state("reserved", 60_000)).toBe("unknown");
  });

  test("before that it is sent, then slow", () => {
    expect(state("charging", 500)).toBe("sent");
    expect(state("charging", 500, true)).toBe("processing-card");
    expect(state("charging", 12_000)).toBe("slow");
  });

  test("slow is three times the usual duration", () => {
    const usual = { fromMs: 400, toMs: 2_000, orders: 9 };
    expect(orderStateOf("charging", { ageMs: 5_900, isCard: false, usual })).toBe("sent");
    expect(orderStateOf("charging", { ageMs: 6_000, isCard: false, usual })).toBe("slow");
  });

  test("an order that ended keeps its state, however old it is", () => {
    expect(state("minted", 9e9)).toBe("confirmed");
    expect(state("declined", 9e9)).toBe("failed");
    expect(state("refunded", 9e9)).toBe("refunded");
    expect(state("requires_action", 9e9)).toBe("needs-confirmation");
  });
});

test("there is no usual duration before five orders were measured", () => {
  const order = (ms: number) => ({
    status: "minted" as const,
    createdAt: new Date(0).toISOString(),
    chargedAt: new Date(ms).toISOString(),
  });
  expect(measureUsual([100, 200, 300, 400].map(order))).toBeUndefined();
  expect(measureUsual([100, 200, 300, 400, 9_000].map(order))).toEqual({
    fromMs: 100,
    toMs: 400,
    orders: 5,
  });
});

test("polling slows down, then stops", () => {
  expect([0, 9, 10, 29, 30, 139, 140].map((polls) => pollDelayMs(polls, false))).toEqual([
    1_000,
    1_000,
    2_000,
    2_000,
    5_000,
    5_000,
    false,
  ]);
  expect(pollDelayMs(500, true)).toBe(15_000);
});

const ADVICE = "Ask the card's bank, or use another card.";

test.each([
  [`The card was declined. ${ADVICE}`, true, "Your bank declined the card."],
  [`The card has expired. ${ADVICE}`, true, "Your bank declined the card: The card has expired."],
  ["The balance is too low.", false, "The balance is too low."],
])(
  "a declined payment gives its reason once, and its advice beside it",
  (message, isCard, title) => {
    expect(declineTitle(message, ADVICE, isCard)).toBe(title);
  },
);
