import { expect, test } from "vitest";
import { readOnce } from "./known-tokens.ts";

function counting() {
  const texts: (string | null)[] = [];
  const read = readOnce((text) => {
    texts.push(text);
    return text === null || text === "no token"
      ? null
      : ({ text, payload: { authorization: {} } } as never);
  });
  return { read, texts };
}

test("a token is read once, and another one as itself", () => {
  const { read, texts } = counting();
  expect(read("a")).toBe(read("a"));
  expect(read("b")).toMatchObject({ text: "b" });
  expect(texts).toEqual(["a", "b"]);
});

test("a text without a token is read each time", () => {
  const { read, texts } = counting();
  for (const text of [null, "no token", "no token"]) expect(read(text)).toBeNull();
  expect(texts).toHaveLength(3);
});

test("the work can't change the claims that later calls get", () => {
  const { read } = counting();
  const token = read("a");
  expect(Object.isFrozen(token)).toBe(true);
  expect(Object.isFrozen(token?.payload.authorization)).toBe(true);
});

test("tokens that callers make up don't pile up", () => {
  const { read, texts } = counting();
  for (let count = 0; count <= 500; count++) read(`token ${count}`);
  read("token 0");
  expect(texts).toHaveLength(502);
});
