import { expect, test, vi } from "vitest";
import { createNamedCalls } from "./named-calls.ts";

const WAY = "plan 42";
const paying = () => Promise.resolve({ way: WAY });

test("calls that were answered do not displace an open one", () => {
  const calls = createNamedCalls();
  const payment = paying();
  calls.note("lost", payment, "open");
  for (let n = 0; n < 1_100; n += 1) calls.note(`call ${n}`, payment, "answered");
  const known = ["lost", "call 0", "call 1099"].map(calls.find);
  expect(known).toEqual([payment, undefined, payment]);
});

test("what pays for a call is remembered for ten minutes, also where the clock is set forward or back", () => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  try {
    const calls = createNamedCalls();
    const payment = paying();
    calls.note("lost", payment, "open");
    vi.setSystemTime(Date.now() + 90_000_000);
    expect(calls.find("lost")).toBe(payment);
    vi.setSystemTime(Date.now() - 180_000_000);
    vi.advanceTimersByTime(600_000);
    expect(calls.find("lost")).toBeUndefined();
  } finally {
    vi.useRealTimers();
  }
});

test("a call without a key of its caller is not remembered", async () => {
  const calls = createNamedCalls();
  const [first] = await calls.claim(null, [WAY], paying);
  const [second] = await calls.claim(null, [WAY], paying);
  expect(second).not.toBe(first);
  expect(calls.find("null")).toBeUndefined();
});

test("calls at once under one key share what pays for the first", async () => {
  const calls = createNamedCalls();
  const claims = await Promise.all([1, 2, 3].map(() => calls.claim("call", [WAY], paying)));
  expect(new Set(claims.flat()).size).toBe(1);
});

test("a call whose payment could not be made is paid by the next one that is made under its key", async () => {
  const calls = createNamedCalls();
  const failing = () => Promise.reject(new Error("The service does not answer."));
  const claims = [failing, paying].map((pay) => calls.claim("call", [WAY], pay));
  const [[failed], [paid]] = (await Promise.all(claims)) as [
    [Promise<unknown>],
    [Promise<unknown>],
  ];
  await expect(failed).rejects.toThrow("does not answer");
  expect(await paid).toEqual({ way: WAY });
});
