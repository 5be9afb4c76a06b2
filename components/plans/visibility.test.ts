import { expect, test } from "vitest";
import { isLeftOut, visibilityOf } from "./visibility.ts";

test("an archived plan is said to be hidden, whatever it was before, and is neither listed nor unlisted", () => {
  expect(visibilityOf("listed")).toEqual({
    text: "Visible to everyone on Explore while an agent accepts it.",
    change: "unlisted",
  });
  expect(visibilityOf("draft").change).toBe("listed");
  const { text, ...others } = visibilityOf("archived");
  expect(text).toMatch(/^Hidden/);
  expect(others).toEqual({});
});

test("a listed plan is left out of Explore without an agent that can be called", () => {
  const agent = (endpoints: Record<string, string>[]) => ({ metadata: { agent: { endpoints } } });
  const called = agent([{ POST: "https://a.example/ask" }]);
  const archived = { ...called, archivedAt: "2026-01-01T00:00:00Z" };
  expect(isLeftOut("listed", [])).toBe(true);
  expect(isLeftOut("listed", [agent([]), archived])).toBe(true);
  expect(isLeftOut("listed", [agent([]), called])).toBe(false);
  expect(isLeftOut("unlisted", [])).toBe(false);
});
