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

test("a long text begins where it differs", () => {
  const [same, text] = ["x".repeat(400), "y".repeat(400)];
  expect(changedMembers({ text: `${same}a` }, { text: `${same}b${text}` })).toEqual({
    before: { text: `…${"x".repeat(299)}a (401 characters)` },
    after: { text: `…b${"y".repeat(299)}… (801 characters)` },
  });
  const urls = (last: string) => ({ urls: [{ POST: `https://a.example/${same}${last}` }] });
  const { before, after } = changedMembers(urls("a"), urls("b"));
  expect([JSON.stringify(before), JSON.stringify(after)]).toEqual([
    expect.stringContaining('xa\\"}'),
    expect.stringContaining('xb\\"}'),
  ]);
});

test("items that change places or are doubled are kept, whether or not the list grows", () => {
  const all = Array.from({ length: 8 }, (_, at) => `0x${`${at}`.repeat(40)}`);
  const [a, b, ...rest] = all as [string, string, ...string[]];
  const changeTo = (list: string[]) => changedMembers({ list: all }, { list });
  const note = "… (8 in all)";
  expect(changeTo([b, a, ...rest])).toEqual({
    before: { list: [a, b, note] },
    after: { list: [b, a, note] },
  });
  expect(changeTo([b, b, ...rest])).toEqual({
    before: { list: [a, note] },
    after: { list: [b, note] },
  });
  expect(changeTo([b, a, ...rest, "0x"])).toEqual({
    before: { list: all },
    after: { list: [b, a, ...rest, "0x"] },
  });
  expect(changeTo([a, a, b, ...rest])).toEqual({
    before: { list: [note] },
    after: { list: [a, "… (9 in all)"] },
  });
});

test("none of a hundred endpoints is hidden behind others", () => {
  const endpoints = (host: string, last = host) =>
    Array.from({ length: 100 }, (_, at) => ({
      POST: `https://${at < 99 ? host : last}/${at}/`.padEnd(190, "x"),
    }));
  for (const count of [100, 99]) {
    const { after } = changedMembers(
      { endpoints: endpoints("a.example").slice(0, count) },
      { endpoints: endpoints("b.example", "evil.example") },
    );
    expect((after.endpoints as unknown[]).length).toBe(100);
    expect(JSON.stringify(after)).toContain("evil.example/99/");
    expect(JSON.stringify(after).length).toBeLessThan(13_000);
  }
});

test("of a longer list it is said how many are left out", () => {
  const list = (letter: string) => Array.from({ length: 300 }, (_, at) => `${letter}${at}`);
  const { after } = changedMembers({ list: list("a") }, { list: list("b") });
  expect((after.list as string[]).slice(198)).toEqual([
    "b198",
    "b199",
    "… (300 in all, 100 that changed are left out)",
  ]);
});

test("whatever changes, what is kept of each member is bounded", () => {
  const long = (letter: string) => ({
    text: letter.repeat(9_000),
    list: Array.from({ length: 100 }, (_, at) => letter.repeat(500 + at)),
    nested: { deeper: Array.from({ length: 100 }, (_, at) => ({ [`${letter}${at}`]: at })) },
    replaced: letter === "a" ? null : { [letter]: letter.repeat(9_000) },
  });
  expect(JSON.stringify(changedMembers(long("a"), long("b"))).length).toBeLessThan(40_000);
});
