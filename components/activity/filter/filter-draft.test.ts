import { expect, test } from "vitest";
import { readFilterDraft, startFilterDraft } from "./filter-draft.ts";

const draft = (text: string) => ({ money: [], text });

test("starts with the value of the field", () => {
  const filter = { role: "builder", range: "24h", money: [], planId: "7" } as const;
  expect(startFilterDraft("planId", { ...filter, money: ["settled"] })).toEqual({
    money: ["settled"],
    text: "7",
  });
  expect(startFilterDraft("search", { ...filter, money: [] }).text).toBe("");
});

test("keeps statuses in the order of the list, whichever was chosen first", () => {
  const read = readFilterDraft("money", { money: ["unknown", "settled"], text: "" });
  expect(read).toEqual({ change: { money: ["settled", "unknown"] } });
});

test("an empty text clears the field, and a payer must be an address", () => {
  expect(readFilterDraft("search", draft("  "))).toEqual({ change: { search: undefined } });
  expect(readFilterDraft("payer", draft("0x12"))).toHaveProperty("error");
  expect(readFilterDraft("payer", draft(""))).toEqual({ change: { payer: undefined } });
});
