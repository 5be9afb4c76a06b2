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
    "T18: a socket destroyed after %i chunks is charged exactly when there were some",
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

  test.each([
    ["succeeds is paid", 200, 1, "settled"],
    ["fails costs nothing", 500, 0, "not-charged"],
  ])(
    "T18: a client leaves before the answer begins: work that %s",
    async (_what, httpStatus, settled, moneyStatus) => {
      const stage = await setUp();
      let answer: (() => void) | undefined;
      stage.work = () =>
        new Promise((resolve) => {
          answer = () => resolve({ status: httpStatus, body: "late" });
        });
      const leaving = new AbortController();
      const asking = open(stage.origin, "/ask", { signal: leaving.signal });
      await until(() => answer !== undefined);
      leaving.abort();
      await expect(asking).rejects.toThrow();
      await until(() => stage.connections() === 0);
      answer?.();
      await until(() => stage.lastRequest() !== undefined);
      expect([stage.settled(), stage.released()]).toEqual([settled, 1 - settled]);
      expect(stage.lastRequest()).toMatchObject({ moneyStatus, httpStatus });
    },
  );
});
