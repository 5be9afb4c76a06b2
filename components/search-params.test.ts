import { expect, test } from "vitest";
import { readTexts } from "./search-params.ts";

test("parameters of a URL are texts, once each", () => {
  const params = { q: ["a", "b"], show: "active", cursor: "", other: "x" };
  expect(readTexts(params, ["q", "show", "cursor", "plan"])).toEqual({ q: "a", show: "active" });
});
