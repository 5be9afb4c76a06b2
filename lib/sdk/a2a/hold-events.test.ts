import { describe, expect, test } from "vitest";
import { type A2AEvent, type A2AMessage, ROLE_AGENT, STATE } from "./a2a-types.ts";
import { holdEvents } from "./hold-events.ts";

const ids = { taskId: "task", contextId: "context" };

const messageOf = (messageId: string, value: string, role = ROLE_AGENT): A2AMessage => ({
  messageId,
  ...ids,
  role,
  parts: [{ content: { $case: "text", value } }],
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
});

const question: A2AMessage = { ...messageOf("question", "abc", 1), metadata: { language: "en" } };

const update = (state: number, message?: A2AMessage, metadata?: object): A2AEvent => ({
  kind: "statusUpdate",
  data: { ...ids, status: { state, message, timestamp: undefined }, metadata: { ...metadata } },
});

const taskOf = (state: number, history = [question], metadata = {}): A2AEvent => ({
  kind: "task",
  data: {
    id: ids.taskId,
    contextId: ids.contextId,
    status: { state, message: undefined, timestamp: undefined },
    artifacts: [],
    history,
    metadata,
  },
});

/** What a caller sees of the events of an executor. */
function hold(userMessage: A2AMessage = question) {
  const seen: A2AEvent[] = [];
  const given = { publish: (event: A2AEvent) => void seen.push(event), finished: () => {} };
  const holding = holdEvents(given, { all: true, request: { ...ids, userMessage } });
  const publish = (...events: unknown[]) => {
    for (const event of events) holding.bus.publish(event as A2AEvent);
  };
  const states = () => seen.map(({ data }) => "status" in data && data.status?.state);
  return { ...holding, publish, seen, states };
}

test("a caller who names their message like the agent's answer does not get the answer", () => {
  const { publish, seen, releaseFree } = hold(messageOf("answer", "abc"));
  const secret = messageOf("answer", "secret");
  publish(taskOf(STATE.WORKING, [secret]));
  expect(seen).toEqual([]);
  publish(update(STATE.CANCELED));
  releaseFree();
  expect(JSON.stringify(seen)).not.toContain("secret");
});

describe("metadata", () => {
  const metadata = { answer: "secret" };

  test.each([
    ["a task", taskOf(STATE.WORKING, [question], metadata)],
    ["a status update", update(STATE.WORKING, undefined, metadata)],
  ])("of %s is held until it is paid", (_what, event) => {
    const { publish, seen, release } = hold();
    publish(event, update(STATE.COMPLETED));
    expect(seen).toEqual([]);
    release((last) => last);
    expect(seen).toEqual([event, update(STATE.COMPLETED)]);
  });

  test.each([
    ["cancelled", STATE.CANCELED],
    ["failed", STATE.FAILED],
  ])("of a task that is %s is not published", (_what, state) => {
    const { publish, seen, states, releaseFree } = hold();
    publish(taskOf(STATE.WORKING, [question], metadata), update(state, undefined, metadata));
    releaseFree();
    expect(states()).toEqual([STATE.WORKING, state]);
    expect(JSON.stringify(seen)).not.toContain("secret");
  });

  test("that the caller sent passes at once", () => {
    const { publish, seen } = hold();
    const event = taskOf(STATE.WORKING, [question], { language: "en" });
    publish(event);
    expect(seen).toEqual([event]);
  });
});
