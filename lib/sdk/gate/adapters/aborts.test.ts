import { afterEach, describe, expect, test } from "vitest";
import { ADAPTERS, type Stage, setStage } from "../../test-support/agents/all-agents.ts";
import { open, until } from "../../test-support/agents/ask.ts";
import type { GateOptions } from "../gate-options.ts";

const stages: Stage[] = [];
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
});

const CHUNKS = 4;

/** A stream whose next piece the test feeds. */
function fedByHand() {
  let feed: (piece: string) => void = () => {};
  let next = new Promise<string>((resolve) => (feed = resolve));
  async function* body() {
    for (let index = 0; index < CHUNKS; index++) {
      yield await next;
      next = new Promise<string>((resolve) => (feed = resolve));
    }
    await next;
  }
  return { body: body(), feed: (piece: string) => feed(piece) };
}

describe.each(Object.keys(ADAPTERS))("behind %s", (adapter) => {
  const setUp = async (options: GateOptions = {}) => {
    const stage = await setStage(adapter, {}, options);
    stages.push(stage);
    return stage;
  };

  test.each(Array.from({ length: CHUNKS + 1 }, (_, delivered) => delivered))(
    "a socket destroyed after %i chunks is charged exactly when there were some",
    async (delivered) => {
      const stage = await setUp();
      const { body, feed } = fedByHand();
      stage.work = () => ({ headers: { "content-type": "text/event-stream" }, body });
      const incoming = await open(stage.origin, "/ask");
      const reading = incoming[Symbol.asyncIterator]();
      for (let index = 0; index < delivered; index++) {
        feed(`data: ${index}\n\n`);
        await reading.next();
      }
      incoming.destroy();
      await until(() => stage.lastRequest() !== undefined);
      const charged = delivered > 0 ? 1 : 0;
      expect([stage.settled(), stage.released()]).toEqual([charged, 1 - charged]);
      expect(stage.lastRequest()?.moneyStatus).toBe(charged ? "settled" : "not-charged");
    },
  );

  test("a client that leaves before the answer begins pays nothing", async () => {
    const stage = await setUp();
    let answer = () => {};
    stage.work = () => new Promise((resolve) => (answer = () => resolve({ body: "late" })));
    const leaving = open(stage.origin, "/ask", { abortAfterMs: 60 });
    await expect(leaving).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 30));
    answer();
    await until(() => stage.lastRequest() !== undefined);
    expect([stage.settled(), stage.released()]).toEqual([0, 1]);
    expect(stage.lastRequest()?.moneyStatus).toBe("not-charged");
  });
});
