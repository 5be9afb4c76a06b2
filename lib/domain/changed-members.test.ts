import { expect, test } from "vitest";
import { changedMembers } from "./changed-members.ts";

test("members that differ are kept, also inside others; the time of the change is not", () => {
  const from = { name: "a", terms: { price: "1", tags: ["x"], kept: {} }, updatedAt: "1" };
  const to = { name: "a", terms: { price: "2", tags: ["x"], kept: {}, added: 1n }, updatedAt: "2" };
  expect(changedMembers(from, to)).toEqual({
    before: { terms: { price: "1", added: null } },
    after: { terms: { price: "2", added: "1" } },
  });
});

test("short lists are kept whole", () => {
  const [before, after] = [{ amounts: ["1", "2"] }, { amounts: ["1", "3"] }];
  expect(changedMembers(before, after)).toEqual({ before, after });
});

test("of a long text the beginning is kept, and how long it was", () => {
  const change = changedMembers({ text: "a" }, { text: `${"b".repeat(299)}😀${"c".repeat(700)}` });
  expect(change.before).toEqual({ text: "a" });
  expect(change.after).toEqual({ text: `${"b".repeat(299)}\ufffd… (1,001 characters)` });
});

test("of a long list the items that were replaced are kept", () => {
  const urls = Array.from({ length: 100 }, (_, at) => ({ POST: `https://a.example/${at}` }));
  const moved = urls.with(70, { POST: "https://b.example" });
  expect(changedMembers({ urls }, { urls: moved })).toEqual({
    before: { urls: [{ POST: "https://a.example/70" }, "… (100 in all)"] },
    after: { urls: [{ POST: "https://b.example" }, "… (100 in all)"] },
  });
});

test("whatever changes, little is kept of each member", () => {
  const long = (letter: string) => ({
    text: letter.repeat(9_000),
    list: Array.from({ length: 100 }, (_, at) => letter.repeat(500 + at)),
    nested: { deeper: Array.from({ length: 100 }, (_, at) => ({ [`${letter}${at}`]: at })) },
    replaced: letter === "a" ? null : { [letter]: letter.repeat(9_000) },
  });
  expect(JSON.stringify(changedMembers(long("a"), long("b"))).length).toBeLessThan(3_000);
});
