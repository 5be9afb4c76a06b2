import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { allOperations } from "../testing/operation-samples.ts";
import { createReadTurns, takesTurn } from "./read-turns.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

const lasting = (ms: number) => new Promise<void>((wake) => setTimeout(wake, ms));

/** Turns while payments are under way. */
async function busyTurns() {
  const turns = createReadTurns();
  let end = () => {};
  void turns.pay(
    () =>
      new Promise<void>((done) => {
        end = done;
      }),
  );
  await vi.advanceTimersByTimeAsync(2_000);
  return { turns, endPayments: () => end() };
}
const settled = (work: Promise<unknown>) =>
  work.then(
    () => "read",
    (cause) => cause,
  );

test("while payments are busy, a reader of long lists waits until its time is paid back, then is told how long", async () => {
  const { turns } = await busyTurns();
  const long = settled(turns.read("big", () => lasting(1_050)));
  const second = settled(turns.read("big", () => lasting(1)));
  await vi.advanceTimersByTimeAsync(1_050);
  expect(await long).toBe("read");
  // It waited for its turn and got none.
  expect(await second).toMatchObject({ code: "unavailable", retryAfterSecs: expect.any(Number) });
  const third = settled(turns.read("big", () => lasting(1)));
  await vi.advanceTimersByTimeAsync(1_000);
  // A second of one connection at a fifth of it: five seconds.
  expect(await third).toMatchObject({ code: "unavailable", retryAfterSecs: 4 });
  await vi.advanceTimersByTimeAsync(4_000);
  const fourth = settled(turns.read("big", () => lasting(1)));
  await vi.advanceTimersByTimeAsync(1);
  expect(await fourth).toBe("read");
});

test("readers of short lists are not touched by those of long ones", async () => {
  const { turns } = await busyTurns();
  const long = settled(turns.read("big", () => lasting(1_000)));
  for (let n = 0; n < 50; n++) {
    const short = settled(turns.read("small", () => lasting(5)));
    await vi.advanceTimersByTimeAsync(5);
    expect(await short).toBe("read");
  }
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await long).toBe("read");
});

test("while payments are quiet, long lists are read one after the other and none is refused", async () => {
  const { turns, endPayments } = await busyTurns();
  endPayments();
  await vi.advanceTimersByTimeAsync(3_000);
  for (let n = 0; n < 5; n++) {
    const long = settled(turns.read("big", () => lasting(1_000)));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await long).toBe("read");
  }
});

test("while payments are quiet, one reader of many long lists leaves another a turn", async () => {
  const turns = createReadTurns();
  const many = Array.from({ length: 8 }, () => settled(turns.read("big", () => lasting(1_000))));
  const other = settled(turns.read("other", () => lasting(100)));
  await vi.advanceTimersByTimeAsync(100);
  expect(await Promise.race([other, Promise.resolve("waiting")])).toBe("read");
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await Promise.all(many)).toEqual(Array(8).fill("read"));
});

test("while payments are quiet, two readers of long lists delay others by a list", async () => {
  const turns = createReadTurns();
  const many = Array.from({ length: 300 }, (_, n) =>
    settled(turns.read(`big ${n % 2}`, () => lasting(400))),
  );
  await vi.advanceTimersByTimeAsync(10);
  const others = Array.from({ length: 5 }, (_, n) =>
    settled(turns.read(`other ${n}`, () => lasting(10))),
  );
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await Promise.all(others)).toEqual(Array(5).fill("read"));
  await vi.advanceTimersByTimeAsync(10_000);
  const read = (await Promise.all(many)).filter((answer) => answer === "read");
  // Four run and a hundred of each wait, for five seconds.
  expect(read.length).toBeLessThanOrEqual(4 * 14);
});

test("what was read while payments were quiet is paid back by no one", async () => {
  const turns = createReadTurns();
  for (let n = 0; n < 100; n++) {
    const long = settled(turns.read("big", () => lasting(1_000)));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await long).toBe("read");
  }
  void turns.pay(() => new Promise<void>(() => {}));
  await vi.advanceTimersByTimeAsync(2_000);
  for (const reader of ["big", "other"]) {
    const next = settled(turns.read(reader, () => lasting(1)));
    await vi.advanceTimersByTimeAsync(1);
    expect(await next).toBe("read");
  }
});

test("however many readers there were, none waits longer than a minute", async () => {
  const { turns } = await busyTurns();
  for (let n = 0; n < 600; n++) {
    const page = settled(turns.read(`reader ${n}`, () => lasting(300)));
    await vi.advanceTimersByTimeAsync(300);
    expect(await page).toBe("read");
  }
  const early = settled(turns.read("reader 599", () => lasting(1)));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await early).toMatchObject({ code: "unavailable", retryAfterSecs: 59 });
  await vi.advanceTimersByTimeAsync(59_000);
  const late = settled(turns.read("reader 599", () => lasting(1)));
  await vi.advanceTimersByTimeAsync(1);
  expect(await late).toBe("read");
});

test("a read that fails gives its turn back", async () => {
  const { turns } = await busyTurns();
  for (let n = 0; n < 10; n++) {
    const failed = turns.read("any", () => Promise.reject(new Error("no")));
    await expect(failed).rejects.toThrow("no");
  }
  await expect(turns.read("any", async () => "read")).resolves.toBe("read");
});

test("lists and pages take turns, and looking up a plan or a balance takes none", () => {
  const { listRequests, listEvents, getHome, getEarnings } = allOperations;
  expect([listRequests, listEvents, getHome, getEarnings].map(takesTurn)).toEqual(
    Array(4).fill(true),
  );
  const { getPlan, getPlanBalance, getDelegation, getReceipt } = allOperations;
  expect([getPlan, getPlanBalance, getDelegation, getReceipt].map(takesTurn)).toEqual(
    Array(4).fill(false),
  );
});
