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

/** Pauses of a clock that goes on when everyone pauses. */
function createPauses() {
  const sleepers: { at: number; wake: () => void }[] = [];
  let now = 0;
  return {
    now: () => now,
    pause: (ms: number) => new Promise<void>((wake) => sleepers.push({ at: now + ms, wake })),
    /** Wakes the next to wake, with all of the same instant. */
    async next() {
      await new Promise((resolve) => setImmediate(resolve));
      now = Math.min(...sleepers.map(({ at }) => at));
      const due = sleepers.filter(({ at }) => at <= now);
      for (const sleeper of due) sleepers.splice(sleepers.indexOf(sleeper), 1);
      for (const { wake } of due) wake();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test.each([
  ["a second", 1_001],
  ["the whole time of waiting", 9_999],
])(
  "a request sees an order that is done after %s, beside 6,000 others of its builder",
  async (_, doneAtMs) => {
    const { now, pause, next } = createPauses();
    const context = { ports: { pause } } as Pick<Context, "ports">;
    let isOver = false;
    const waitFor = (balance: string, isDone: () => boolean) =>
      untilDone(context, async () =>
        isDone() ? "held" : ({ waitFor: "order", balance, builder: "busy" } satisfies Wait),
      ).catch(({ code }) => code);
    const others = Array.from({ length: 6_000 }, (_, n) => waitFor(`p${n % 60}`, () => isOver));
    let answer: string | undefined;
    waitFor("mine", () => now() >= doneAtMs).then((given) => {
      answer = given;
    });
    while (answer === undefined) await next();
    expect(answer).toBe("held");
    expect(now()).toBeLessThan(doneAtMs + 1_001);
    isOver = true;
    const rest = Promise.all(others);
    const ended = rest.then(() => true);
    while (!(await Promise.race([ended, next().then(() => false)])));
  },
);
