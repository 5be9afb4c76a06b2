import { expect, test } from "vitest";
import { RECORDED, RECORDED_AT } from "./recorded-call.ts";

test("the recorded call is a 402 that was paid, and its times and credits add up", () => {
  const { ms, statuses, before, after, transaction } = RECORDED;
  expect(statuses).toEqual([402, 200]);
  const sum = Object.values(ms).reduce((total, part) => total + part, 0);
  expect(RECORDED_AT.answer).toBe(sum);
  expect(BigInt(before) - BigInt(after)).toBe(1n);
  expect(transaction).toMatch(/^0x[0-9a-f]{64}$/);
  expect(Object.values(ms).every((part) => Number.isInteger(part) && part >= 0)).toBe(true);
});

test("T40: the recording holds no token and no receipt, only the beginnings of headers", () => {
  const { required, signature, response } = RECORDED;
  for (const header of [required, signature, response]) expect(header.length).toBe(32);
  expect(JSON.stringify(RECORDED)).not.toMatch(/eyJ[\w+/=-]{40}|svc-sandbox:/);
});
