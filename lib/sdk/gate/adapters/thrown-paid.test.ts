import { afterEach, describe, expect, test } from "vitest";
import { ADAPTERS, type Stage, setStage } from "../../test-support/agents/all-agents.ts";
import { ask } from "../../test-support/agents/ask.ts";

let stage: Stage | undefined;
afterEach(() => stage?.close());

const failing = () => {
  throw new Error("the agent fell over");
};
/** Begins a body that the gate holds, and then throws. */
const breakingOff = () => ({
  headers: { "content-type": "application/json" },
  body: (async function* () {
    yield '{"words":';
    failing();
  })(),
});

describe.each(Object.keys(ADAPTERS))("behind %s", (adapter) => {
  test.each([
    ["throws", failing],
    ["breaks off", breakingOff],
  ])(
    "the answer to work that %s has the receipt of what was paid before it",
    async (_how, work) => {
      stage = await setStage(adapter, {}, { settle: "before" });
      stage.work = work;
      const answer = await ask(stage.origin, "/ask");
      expect(answer.status).toBe(500);
      expect(answer.receipt()).toMatchObject({ success: true, outcome: "failed" });
      expect(answer.headers["payment-request-id"]).toBe(answer.receipt()?.agentRequestId);
      expect(answer.headers["cache-control"]).toContain("no-store");
      expect([stage.settled(), stage.released()]).toEqual([1, 0]);
    },
  );

  test("the answer to work that throws has no receipt where it is not charged", async () => {
    stage = await setStage(adapter);
    stage.work = failing;
    const answer = await ask(stage.origin, "/ask");
    expect([answer.status, answer.headers["payment-response"]]).toEqual([500, undefined]);
    expect([stage.settled(), stage.released()]).toEqual([0, 1]);
  });
});
