import { expect, test } from "vitest";
import { visibilityOf } from "./visibility.ts";

test("an archived plan is said to be hidden, whatever it was before, and is neither listed nor unlisted", () => {
  expect(visibilityOf("listed")).toEqual({
    text: "Visible to everyone on Explore.",
    change: "unlisted",
  });
  expect(visibilityOf("draft").change).toBe("listed");
  const { text, ...others } = visibilityOf("archived");
  expect(text).toMatch(/^Hidden/);
  expect(others).toEqual({});
});
