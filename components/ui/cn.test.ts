import { expect, test } from "vitest";
import { cn } from "./cn.ts";

test("a size and a colour of text stand side by side", () => {
  expect(cn("text-label", "text-ink-2")).toBe("text-label text-ink-2");
  expect(cn("text-ink", "text-tick", "text-refused")).toBe("text-tick text-refused");
});

test("of two that set the same property the later wins", () => {
  expect(cn("text-label text-ink", "text-small")).toBe("text-ink text-small");
  expect(cn("rounded-control px-3", "rounded-dialog", false, undefined)).toBe(
    "px-3 rounded-dialog",
  );
});
