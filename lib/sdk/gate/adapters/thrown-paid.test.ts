import { afterEach, describe, expect, test } from "vitest";
import { ADAPTERS, type Stage, setStage } from "../../test-support/agents/all-agents.ts";
import { ask } from "../../test-support/agents/ask.ts";

let stage: Stage | undefined;
afterEach(() => stage?.close());

const failing = () => {
  throw new Error("the agent fell over");
};

describe.each(Object.keys(ADAPTERS))("behind %s", (adapter) => {
  test("the answer to work that throws has the receipt of what was paid before it", async () => {
    stage = await setStage(adapter, {}, { settle: "before" });
    stage.work = failing;
    const answer = await ask(stage.origin, "/ask");
    expect(answer.status).toBe(500);
    expect(answer.receipt()).toMatchObject({ success: true, outcome: "failed" });
    expect(answer.headers["payment-request-id"]).toBe(answer.receipt()?.agentRequestId);
    expect(answer.headers["cache-control"]).toContain("no-store");
    expect([stage.settled(), stage.released()]).toEqual([1, 0]);
  });

  test("the answer to work that throws has no receipt where it is not charged", async () => {
    stage = await setStage(adapter);
    stage.work = failing;
    const answer = await ask(stage.origin, "/ask");
    expect([answer.status, answer.headers["payment-response"]]).toEqual([500, undefined]);
    expect([stage.settled(), stage.released()]).toEqual([0, 1]);
  });
});
