import { expect, test } from "vitest";
import type { Context } from "../context.ts";
import { untilDone, type Wait } from "./until-done.ts";

/** Requests at once that wait until `freed`, and how often they looked. */
function crowd(pause: (ms: number) => Promise<void> = async () => {}) {
  let steps = 0;
  let isFree = false;
  const context = { ports: { pause } } as Pick<Context, "ports">;
  const ask = async (balance: string): Promise<string> => {
    const waits: Wait = { waitFor: "crowded", balance, builder: "builder" };
    const step = async () => {
      steps += 1;
      return isFree ? "held" : waits;
    };
    return untilDone(context, step).catch(
      ({ code, retryAfterSecs }) => `${code} ${retryAfterSecs}`,
    );
  };
  return {
    askMany: (balance: string, count: number) => Array.from({ length: count }, () => ask(balance)),
    free: () => {
      isFree = true;
    },
    steps: () => steps,
  };
}

test("3,000 requests that wait for one balance look ten thousand times in their ten seconds, not 600,000 times", async () => {
  const { askMany, steps } = crowd();
  const answers = await Promise.all(askMany("payer/plan", 3_000));
  expect(new Set(answers)).toEqual(new Set(["unavailable 1"]));
  // The refused look once. The first to wait pause less than the last.
  expect(steps()).toBeLessThan(25_000);
});

test("past 256 that wait for one balance the next is refused at once, and those of another balance wait", async () => {
  let wake = () => {};
  const woken = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const { askMany, free } = crowd(() => woken);
  const waiting = askMany("payer/plan", 256);
  expect(await Promise.all(askMany("payer/plan", 3))).toEqual(Array(3).fill("unavailable 1"));
  const others = askMany("payer/other", 10);
  free();
  wake();
  const held = await Promise.all([...waiting, ...others]);
  expect(held).toEqual(Array(266).fill("held"));
  // Their places are free again.
  const later = crowd(async () => later.free());
  expect(await Promise.all(later.askMany("payer/plan", 256))).toEqual(Array(256).fill("held"));
});
