import { PaymentsError } from "@turnpike/payments/protocol";
import { describe, expect, test, vi } from "vitest";
import { answerText, createPublicReads } from "./public-reads.ts";

const free = async () => {};

describe("public reads", () => {
  const world = () => {
    let now = 1_000;
    const reads = createPublicReads({ now: () => now });
    const pass = (ms: number) => {
      now += ms;
    };
    let loads = 0;
    const load = vi.fn(async () => ({ value: ++loads }));
    const get = (input: unknown = {}, countMiss = free) =>
      reads.get({ name: "getPlan", input, secs: 2, countMiss, load });
    return { reads, load, get, pass };
  };

  test("equal reads at the same time are one, and later ones too until it is old", async () => {
    const { load, get, pass } = world();
    await Promise.all(Array.from({ length: 50 }, () => get()));
    await get();
    expect(load).toHaveBeenCalledTimes(1);
    pass(2_001);
    expect(await get()).toEqual({ value: 2 });
  });

  test("another input is another read", async () => {
    const { load, get } = world();
    await get({ planId: "1" });
    await get({ planId: "2" });
    expect(load).toHaveBeenCalledTimes(2);
  });

  test("a write forgets what is kept, and what is being read", async () => {
    const { reads, load, get } = world();
    let answer = (_: { value: number }) => {};
    load.mockReturnValueOnce(new Promise((done) => (answer = done)));
    const early = get();
    await vi.waitFor(() => expect(load).toHaveBeenCalledTimes(1), { timeout: 10_000 });
    reads.clear();
    expect(await get()).toEqual({ value: 1 });
    answer({ value: 0 });
    expect(await early).toEqual({ value: 0 });
    expect(await get()).toEqual({ value: 1 });
  });

  test("a failure is not kept", async () => {
    const { load, get } = world();
    load.mockRejectedValueOnce(new Error("down"));
    await expect(get()).rejects.toThrow("down");
    expect(await get()).toEqual({ value: 1 });
  });

  test("a caller with too many misses is refused alone", async () => {
    const { get } = world();
    const refuse = () => Promise.reject(new Error("too many"));
    const [refused, other] = await Promise.allSettled([get({}, refuse), get()]);
    expect([refused.status, other.status]).toEqual(["rejected", "fulfilled"]);
    expect(await get({}, refuse)).toEqual({ value: 1 });
  });

  test("a refusal of the first asker's turn is theirs alone; others ask in their own", async () => {
    const { reads, load } = world();
    const refusal = new PaymentsError("unavailable", "Not your turn.");
    let refuse = (_: Error) => {};
    const refused = vi.fn(() => new Promise((_, fail) => (refuse = fail)));
    const read = { name: "getPlan", input: {}, secs: 2, countMiss: free };
    const first = reads.get({ ...read, load: refused });
    await vi.waitFor(() => expect(refused).toHaveBeenCalled(), { timeout: 10_000 });
    const others = Array.from({ length: 20 }, () => reads.get({ ...read, load }));
    const seen = Promise.allSettled([first, ...others]);
    refuse(refusal);
    const [mine, ...theirs] = await seen;
    expect(mine).toMatchObject({ reason: refusal });
    expect(theirs.map(({ status }) => status)).toEqual(Array(20).fill("fulfilled"));
    expect(load.mock.calls.length).toBeLessThanOrEqual(2);
    expect(refused).toHaveBeenCalledTimes(1);
  });

  test("at most two reads run at the same time", async () => {
    const reads = createPublicReads();
    let running = 0;
    let most = 0;
    const load = async () => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running -= 1;
      return {};
    };
    await Promise.all(
      Array.from({ length: 20 }, (_, input) =>
        reads.get({ name: "getPlan", input, secs: 2, countMiss: free, load }),
      ),
    );
    expect(most).toBe(2);
  });

  test("T20: reads of one address wait behind the first of another", async () => {
    const reads = createPublicReads();
    const order: string[] = [];
    const read = (by: string, input: number) =>
      reads.get({
        ...{ name: "search", input, secs: 2, by, countMiss: free },
        load: async () => ({ at: order.push(by) }),
      });
    const flood = Array.from({ length: 10 }, (_, input) => read("flood", input));
    await Promise.all([...flood, read("visitor", 10)]);
    expect(order.indexOf("visitor")).toBeLessThan(4);
  });

  test("the text of a kept answer is written once, with its tag", async () => {
    const { get } = world();
    const [first, second] = [answerText(await get()), answerText(await get())];
    expect(first).toBe(second);
    expect(first).toMatchObject({ text: '{"value":1}', kept: { secs: 2 } });
    expect(first.kept?.etag).toMatch(/^"[\w-]{43}"$/);
    expect(answerText({ value: 1 }).kept).toBeUndefined();
  });
});
