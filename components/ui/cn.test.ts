import { expect, test } from "vitest";
import { cn } from "./cn.ts";

test("keeps a text size beside a text colour", () => {
  expect(cn("text-label", "text-ink-2")).toBe("text-label text-ink-2");
  expect(cn("text-ink", "text-tick", "text-refused")).toBe("text-tick text-refused");
});

test("keeps the later of two classes that set the same property", () => {
  expect(cn("text-label text-ink", "text-small")).toBe("text-ink text-small");
  expect(cn("rounded-control px-3", "rounded-dialog", false, undefined)).toBe(
    "px-3 rounded-dialog",
  );
});

test("treats a class under another variant as another property", () => {
  expect(cn("px-3 max-sm:px-4", "px-2")).toBe("max-sm:px-4 px-2");
});
