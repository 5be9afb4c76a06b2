import { expect, test } from "vitest";
import { createBatcher } from "./batcher.ts";

const spoilt = new Error("a value does not fit");

/** A batcher of numbers whose rounds fail as a whole when one of these is among them. */
function batcherWith(bad: number[], isOfOneItem?: (cause: unknown) => boolean) {
  const rounds: number[][] = [];
  const ask = createBatcher<number, number>({
    run: async (items) => {
      rounds.push(items);
      if (items.some((item) => bad.includes(item))) throw spoilt;
      return items.map((item) => ({ value: item * 2 }));
    },
    ...(isOfOneItem && { isOfOneItem }),
  });
  const askAll = (items: number[]) => Promise.allSettled(items.map(ask));
  return { rounds, askAll };
}

const NUMBERS = Array.from({ length: 100 }, (_, index) => index);

test("an item whose value spoils its round fails alone", async () => {
  const { rounds, askAll } = batcherWith([13, 77], (cause) => cause === spoilt);
  const answers = await askAll(NUMBERS);
  const failed = answers.flatMap(({ status }, index) => (status === "rejected" ? [index] : []));
  expect(failed).toEqual([13, 77]);
  expect(answers[99]).toEqual({ status: "fulfilled", value: 198 });
  // By halves, and not one by one.
  expect(rounds.length).toBeLessThan(32);
});

test("a round that failed for another reason fails whole, and is not run again", async () => {
  const { rounds, askAll } = batcherWith([13]);
  const answers = await askAll(NUMBERS);
  expect(answers.every(({ status }) => status === "rejected")).toBe(true);
  expect(rounds).toHaveLength(1);
});
