import type { Plan } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { choiceOf, usesText } from "./plan-choice.ts";

const choice = (accessLimit: "credits" | "time", [min, max] = ["1", "1"], more = {}) =>
  choiceOf(
    {
      ...{ planId: "42", state: "listed", metadata: { plan: { accessLimit } } },
      registry: { credits: { minAmount: min, maxAmount: max } },
      ...more,
    } as unknown as Plan,
    { name: "Pro", price: "Free" },
  );

test("calls of a time plan use no credits, as on the plan's own page", () => {
  expect(choice("time").credits).toBe("No credits");
  expect(usesText(choice("time"))).toBe("Calls use no credits.");
});

test("calls of another plan use one number of credits, or a range", () => {
  expect(choice("credits").credits).toBe("1");
  expect(usesText(choice("credits"))).toBe("1 credit per call.");
  expect(usesText(choice("credits", ["1", "10"]))).toBe("1 to 10 credits per call.");
});

test("an archived plan is marked", () => {
  expect(choice("credits").isArchived).toBe(false);
  const archivedAt = "2026-11-21T14:00:03.000Z";
  expect(choice("credits", ["1", "1"], { archivedAt }).isArchived).toBe(true);
});
