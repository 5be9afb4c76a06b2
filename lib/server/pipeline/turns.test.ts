import { expect, test } from "vitest";
import { createTurns } from "./turns.ts";

/** Takes turns by name, and says who has begun. */
function createQueue(options: Parameters<typeof createTurns>[0]) {
  const turns = createTurns(options);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    take: (by: string, name = by) =>
      void turns.take(by).then((end) => {
        if (!end) throw new Error(`${name} was refused.`);
        begun.push(name);
        ends.set(name, end);
      }),
    end: (name: string) => ends.get(name)?.(),
    settled: () => new Promise(setImmediate),
  };
}

test("T20: turns go around those who wait, so that one who asks for many delays their own", async () => {
  const queue = createQueue({ running: 1 });
  for (const name of ["flood 1", "flood 2", "flood 3", "flood 4"]) queue.take("flood", name);
  queue.take("visitor");
  queue.take("other");
  for (const name of ["flood 1", "flood 2", "visitor", "other", "flood 3"]) {
    await queue.settled();
    queue.end(name);
  }
  await queue.settled();
  expect(queue.begun).toEqual(["flood 1", "flood 2", "visitor", "other", "flood 3", "flood 4"]);
});

test("one who is alone has every turn, and no turn ends twice", async () => {
  const queue = createQueue({ running: 2 });
  for (const name of ["1", "2", "3", "4"]) queue.take("only", name);
  await queue.settled();
  queue.end("1");
  queue.end("1");
  await queue.settled();
  expect(queue.begun).toEqual(["1", "2", "3"]);
});

test("as many run as may run when a turn is taken or ends", async () => {
  let most = 1;
  const queue = createQueue({ running: () => most });
  for (const name of ["1", "2", "3", "4"]) queue.take("only", name);
  await queue.settled();
  most = 2;
  queue.end("1");
  await queue.settled();
  expect(queue.begun).toEqual(["1", "2", "3"]);
  most = 1;
  queue.end("2");
  await queue.settled();
  expect(queue.begun).toEqual(["1", "2", "3"]);
  queue.end("3");
  await queue.settled();
  expect(queue.begun).toEqual(["1", "2", "3", "4"]);
});
