import { describe, expect, test } from "vitest";
import { type A2AEvent, type A2AMessage, type A2ATask, ROLE_AGENT, STATE } from "./a2a-types.ts";
import { holdEvents } from "./hold-events.ts";
import { A2A_PAYMENT } from "./metadata.ts";

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

const taskOf = (
  state: number,
  history = [question],
  metadata = {},
): A2AEvent & { kind: "task" } => ({
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

const artifact = { kind: "artifactUpdate", data: { ...ids, artifact: { artifactId: "secret" } } };

/** What a caller sees of the events of an executor. */
function hold(userMessage: A2AMessage = question, task?: A2ATask) {
  const seen: A2AEvent[] = [];
  const given = { publish: (event: A2AEvent) => void seen.push(event), finished: () => {} };
  const holding = holdEvents(given, { all: true, request: { ...ids, userMessage, task } });
  const publish = (...events: unknown[]) => {
    for (const event of events) holding.bus.publish(event as A2AEvent);
  };
  const states = () => seen.map(({ data }) => "status" in data && data.status?.state);
  return { ...holding, publish, seen, states };
}

test("what an executor says of payments reaches no one, and the task's history stays as it was", () => {
  const receipt = { [A2A_PAYMENT.STATUS]: "payment-completed", [A2A_PAYMENT.RECEIPTS]: [{}] };
  const paid = (id: string, own = {}) => ({
    ...messageOf(id, id),
    metadata: { ...receipt, ...own },
  });
  const earlier = paid("earlier");
  const { publish, seen, releaseFree } = hold(question, taskOf(STATE.WORKING, [earlier]).data);
  publish(
    update(STATE.WORKING, undefined, { ...receipt, step: 1 }),
    taskOf(STATE.INPUT_REQUIRED, [earlier, paid("relayed", { trace: "7" })], receipt),
    update(STATE.INPUT_REQUIRED, paid("asked")),
  );
  releaseFree();
  const relayed = { ...messageOf("relayed", "relayed"), metadata: { trace: "7" } };
  expect(seen).toEqual([
    update(STATE.WORKING, undefined, { step: 1 }),
    taskOf(STATE.INPUT_REQUIRED, [earlier, relayed]),
    update(STATE.INPUT_REQUIRED, { ...messageOf("asked", "asked"), metadata: {} }),
  ]);
});

describe("a request for a credential passes at once", () => {
  const credential = update(STATE.AUTH_REQUIRED, messageOf("login", "Sign in."), { at: "/login" });

  test("where nothing is held", () => {
    const { publish, seen } = hold();
    publish(taskOf(STATE.WORKING), credential);
    expect(seen).toEqual([taskOf(STATE.WORKING), credential]);
  });

  test("where content is held, which stays held", () => {
    const { publish, seen, states, release } = hold();
    publish(taskOf(STATE.WORKING), artifact, credential);
    expect(seen).toEqual([taskOf(STATE.WORKING), credential]);
    publish(update(STATE.COMPLETED));
    release((last) => last);
    expect(seen).toContainEqual(artifact);
    expect(states().at(-1)).toBe(STATE.COMPLETED);
  });

  test("where the task is held, which passes without its content", () => {
    const { publish, seen, release } = hold();
    const secret = messageOf("answer", "secret");
    publish(taskOf(STATE.WORKING, [question, secret], { hint: "secret" }), credential);
    expect(seen).toEqual([taskOf(STATE.WORKING), credential]);
    publish(update(STATE.COMPLETED));
    release((last) => last);
    expect(seen.filter(({ kind }) => kind === "task")).toHaveLength(1);
    expect(seen).toContainEqual(update(STATE.WORKING, undefined, { hint: "secret" }));
    expect(JSON.stringify(seen)).toContain(JSON.stringify(secret));
  });
});

test("content after a question is free only if the turn ends with a question", () => {
  const more = update(STATE.INPUT_REQUIRED, messageOf("more", "Which?"));
  const cancelled = hold();
  cancelled.publish(taskOf(STATE.WORKING), more, artifact, update(STATE.CANCELED));
  cancelled.releaseFree();
  expect(cancelled.seen).not.toContainEqual(artifact);
  const asking = hold();
  asking.publish(taskOf(STATE.WORKING), artifact, more);
  asking.releaseFree();
  expect(asking.seen).toEqual([taskOf(STATE.WORKING), artifact, more]);
});

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
