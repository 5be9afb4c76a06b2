import { afterEach, describe, expect, test } from "vitest";
import { ADAPTERS, type Stage, setStage } from "../../test-support/agents/all-agents.ts";
import { ask } from "../../test-support/agents/ask.ts";
import type { RouteConfig } from "../routes.ts";
import { judgeBody } from "./judge.ts";
import { isKnownSuccess } from "./outcome.ts";

const JSON_TYPE = { "content-type": "application/json" };
const EVENTS = { "content-type": "text/event-stream" };

const rpc = (members: object) => JSON.stringify({ jsonrpc: "2.0", id: 1, ...members });
const task = (state: string) => ({ id: "t1", status: { state } });

const FAILURES: [string, string][] = [
  ["a LangGraph run that threw", '{"__error__":{"error":"Error","message":"no luck"}}'],
  ["a JSON-RPC error", rpc({ error: { code: -32603, message: "no luck" } })],
  ["a JSON-RPC batch of errors", `[${rpc({ error: { code: 1, message: "a" } })}]`],
  ["an MCP result with isError", rpc({ result: { isError: true, content: [] } })],
  ["a failed A2A task", rpc({ result: { kind: "task", ...task("failed") } })],
  ["a rejected A2A task over REST", JSON.stringify({ task: task("TASK_STATE_REJECTED") })],
  ["an A2A update", rpc({ result: { statusUpdate: task("TASK_STATE_FAILED") } })],
  ["a cancelled A2A task over REST", JSON.stringify(task("TASK_STATE_CANCELED"))],
  ["a failed A2A task over REST", JSON.stringify(task("TASK_STATE_FAILED"))],
  ["a cancelled A2A task", rpc({ result: { task: task("canceled") } })],
  ["a rejected A2A task", rpc({ result: { task: task("REJECTED") } })],
  ["an MCP result without its envelope", '{"isError":true}'],
  ["a LangGraph run that threw, in a batch", '[{"__error__":{}}]'],
];

const SUCCESSES: [string, string][] = [
  ["plain JSON", '{"words":3}'],
  ["a text that mentions a failure", '{"text":"\\"__error__\\" TASK_STATE_FAILED"}'],
  ["a JSON-RPC result", rpc({ result: { isError: false } })],
  ["a JSON-RPC batch with one result", `[${rpc({ error: {} })},${rpc({ result: 1 })}]`],
  ["a completed A2A task", rpc({ result: { task: task("TASK_STATE_COMPLETED") } })],
  ["a JSON-RPC result beside an empty error", rpc({ error: null, result: 1 })],
  ["a JSON-RPC list of errors", rpc({ error: [] })],
  ["an error of another protocol", '{"jsonrpc":"1.0","error":{}}'],
  ["a JSON-RPC result that names LangGraph", rpc({ __error__: {}, result: 1 })],
  ["an MCP result with a text for isError", rpc({ result: { isError: "true" } })],
  ["a status that is a word", rpc({ result: { status: "failed" } })],
  ["a status without a state", rpc({ result: { status: {} } })],
  ["a status that is null", rpc({ result: { status: null } })],
  ["a state that only contains the word", rpc({ result: task("TASK_STATE_FAILED_ONCE") })],
  ["a state that only ends with the word", rpc({ result: task("NOT_FAILED") })],
  ["a result that is null", rpc({ result: null })],
  ["a task of no known protocol", JSON.stringify(task("failed"))],
  ["the mark alone", '"TASK_STATE_FAILED"'],
  ["a member that only ends like the mark", '{"x__error__":1}'],
  ["an empty list in a list", '[[], "TASK_STATE_FAILED"]'],
  ["broken JSON", '{"__error__":'],
  ["nothing", ""],
];

describe("known failures under status 200", () => {
  const judge = (text: string, event?: string) =>
    isKnownSuccess({ status: 200, headers: new Headers(), text, ...(event && { event }) });
  test.each(FAILURES)("%s is one", (_what, text) => expect(judge(text)).toBe(false));
  test.each(SUCCESSES)("%s is none", (_what, text) => expect(judge(text)).toBe(true));
  test("an error event is one", () => {
    expect([judge("no luck", "error"), judge("luck", "values")]).toEqual([false, true]);
  });
});

const stages: Stage[] = [];
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
});

describe.each(Object.keys(ADAPTERS))("behind %s", (adapter) => {
  const setUp = async (
    body: string | AsyncIterable<string>,
    headers: Record<string, string>,
    config: Partial<RouteConfig> = {},
  ) => {
    const stage = await setStage(adapter, config);
    stages.push(stage);
    stage.work = () => ({ headers, body });
    return stage;
  };

  test("T19: work that reports its failure under 200 costs nothing, and the receipt says so", async () => {
    const [[, failure = ""] = []] = FAILURES;
    const stage = await setUp(failure, JSON_TYPE);
    const answer = await ask(stage.origin, "/ask");
    expect([answer.status, answer.text]).toEqual([200, failure]);
    expect(answer.receipt()).toMatchObject({
      success: false,
      outcome: "failed",
      errorReason: "work_failed",
    });
    expect([stage.settled(), stage.released()]).toEqual([0, 1]);
    expect(stage.lastRequest()).toMatchObject({
      moneyStatus: "not-charged",
      reason: "work_failed",
    });
  });

  test("a stream with an error event costs nothing, and its last event says so", async () => {
    const events = (async function* () {
      yield "event: values\ndata: 1\n\nevent: err";
      yield "or\r\ndata: no luck\r\n\r\n";
    })();
    const stage = await setUp(events, EVENTS);
    const { text } = await ask(stage.origin, "/ask");
    const [, receipt = ""] = /event: payment-response\ndata: (.*)\n\n$/.exec(text) ?? [];
    expect(JSON.parse(receipt)).toMatchObject({ success: false, outcome: "failed" });
    expect([stage.settled(), stage.released()]).toEqual([0, 1]);
  });

  test("a route says what success is, and the receipt carries the verdict", async () => {
    const isSuccess: RouteConfig["isSuccess"] = ({ text }) => text.includes("found");
    const stage = await setUp("not here", {}, { isSuccess });
    expect((await ask(stage.origin, "/ask")).receipt()).toMatchObject({ outcome: "failed" });
    stage.work = () => ({ body: "found it" });
    expect((await ask(stage.origin, "/ask")).receipt()).toMatchObject({
      success: true,
      outcome: "succeeded",
    });
    expect([stage.settled(), stage.released()]).toEqual([1, 1]);
  });

  test("JSON that is written slowly carries its receipt in the header", async () => {
    const slowly = (async function* () {
      yield '{"words":';
      await new Promise((resolve) => setTimeout(resolve, 10));
      yield "3}";
    })();
    const stage = await setUp(slowly, JSON_TYPE);
    const answer = await ask(stage.origin, "/ask");
    expect(answer.text).toBe('{"words":3}');
    expect(answer.receipt()).toMatchObject({ success: true });
  });

  test("JSON of no type, behind the white space of a waiting route, is held and judged too", async () => {
    const waiting = (result: string) =>
      (async function* () {
        for (const piece of ["\n", "\n", result.slice(0, 5), result.slice(5)]) {
          await new Promise((resolve) => setTimeout(resolve, 1));
          yield piece;
        }
      })();
    const done = await setUp(waiting('{"words":3}'), {});
    const answer = await ask(done.origin, "/ask");
    expect([answer.text, answer.receipt()]).toMatchObject(['\n\n{"words":3}', { success: true }]);
    const failed = await setUp(waiting('{"__error__":{"message":"no luck"}}'), {});
    const receipt = (await ask(failed.origin, "/ask")).receipt();
    expect(receipt).toMatchObject({ success: false, outcome: "failed" });
    expect([failed.settled(), failed.released()]).toEqual([0, 1]);
  });
});

test.each(["text", "bytes"])(
  "a failure after a byte order mark is one, held as %s",
  async (kind) => {
    const text = '\ufeff{"__error__":{"message":"no luck"}}';
    const body = kind === "text" ? text : new TextEncoder().encode(text);
    const response = new Response(null, { headers: JSON_TYPE });
    expect(await judgeBody(response, body, undefined)).toBe(false);
  },
);
