import { describe, expect, test, vi } from "vitest";
import { isKnownSuccess } from "./outcome.ts";
import { createStreamVerdict } from "./stream-verdict.ts";

const EVENTS = { "content-type": "text/event-stream" };
const MIB = 1024 * 1024;

/** What a route's check is shown of a stream, and the verdict. */
function watch(
  chunks: (string | Uint8Array)[],
  {
    headers = EVENTS,
    failsOn = "bad",
  }: { headers?: Record<string, string>; failsOn?: string } = {},
) {
  const seen: { status: number; text: string; event: string | undefined; headers: Headers }[] = [];
  const response = new Response(null, { status: 201, headers });
  const verdict = createStreamVerdict(response, (answered) => {
    seen.push({ event: undefined, ...answered });
    return answered.text !== failsOn;
  });
  for (const chunk of chunks) {
    verdict.read(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk);
  }
  const events = seen.map(({ event, text }) => `${event}: ${text}`);
  const hasFailed = verdict.hasFailed();
  verdict.finish();
  return { seen, events, hasFailed, hasFailedAtEnd: verdict.hasFailed() };
}

describe("T19: the verdict on a stream", () => {
  test("shows each event to the route's check, with the answer's status and headers", () => {
    const { seen, events, hasFailed } = watch(["event: values\ndata: 1\n\ndata: 2\n\n"]);
    expect(events).toEqual(["values: 1", "message: 2"]);
    expect(seen[0]).toMatchObject({ status: 201 });
    expect(seen[0]?.headers.get("content-type")).toBe("text/event-stream");
    expect(hasFailed).toBe(false);
  });

  test.each(["\n", "\r\n", "\r"])("reads events whose lines end with %j", (end) => {
    const text = ["event: a", "data: 1", "", "event: b", "data: 2", "", ": end", ""].join(end);
    expect(watch([text]).events).toEqual(["a: 1", "b: 2"]);
  });

  test("joins the data of several lines, with and without a space before them", () => {
    expect(watch(["data: 1\ndata:2\ndata:  3\ndata\n\n"]).events).toEqual(["message: 1\n2\n 3\n"]);
  });

  test("passes over comments, other fields and events without data", () => {
    const text = ": data: no\n:x\nid: 7\nretry: 10\ndata-x: no\n\nevent: values\n\n\n\ndata: 1\n\n";
    expect(watch([text]).events).toEqual(["message: 1"]);
  });

  test("is the same wherever the stream is cut, inside characters and line ends too", () => {
    const bytes = new TextEncoder().encode("event: é\r\ndata: 日本\r\n\r\ndata: 2\r\n\r\n");
    const whole = watch([bytes]).events;
    expect(whole).toEqual(["é: 日本", "message: 2"]);
    for (let at = 1; at < bytes.length; at++) {
      expect(watch([bytes.slice(0, at), bytes.slice(at)]).events, String(at)).toEqual(whole);
    }
  });

  test("is the same wherever a stream with lone carriage returns is cut", () => {
    const text = "event: a\rdata: 1\r\rdata: 2\r\r: end";
    for (let at = 1; at < text.length; at++)
      expect(watch([text.slice(0, at), text.slice(at)]).events).toEqual(["a: 1", "message: 2"]);
  });

  test("searches each character of a long event once, however many chunks it comes in", () => {
    const split = vi.spyOn(String.prototype, "split");
    const { seen } = watch([
      "data: ",
      ...Array.from({ length: 500 }, () => "x".repeat(100)),
      "\n\n",
    ]);
    const searched = split.mock.contexts.map(String).join("").length;
    split.mockRestore();
    expect(seen[0]?.text).toHaveLength(50_000);
    expect(searched).toBeLessThan(60_000);
  });

  test.each(["data: bad", "data: bad\n", "data: bad\r\n", "data: 1\n\ndata: bad"])(
    "counts an event without its last line end, as in %j, once the stream is complete",
    (text) => {
      expect(watch([text])).toMatchObject({ hasFailed: false, hasFailedAtEnd: true });
    },
  );

  test("has failed where the route's check throws for the last event", () => {
    const fails = () => {
      throw new Error("A fault.");
    };
    const verdict = createStreamVerdict(new Response(null, { headers: EVENTS }), fails);
    verdict.read(new TextEncoder().encode("data: 1\n"));
    verdict.finish();
    expect(verdict.hasFailed()).toBe(true);
  });

  test("stays failed once one event has", () => {
    const { hasFailed } = watch(["data: bad\n\n", "data: good\n\n"], { failsOn: "bad" });
    expect(hasFailed).toBe(true);
  });

  test("asks about no event after one that failed", () => {
    expect(watch(["data: bad\n\ndata: good\n\n"], { failsOn: "bad" }).events).toHaveLength(1);
  });

  test("takes an error event for a failure, even without data, and forgets its name afterwards", () => {
    const verdictOn = (text: string) => {
      const verdict = createStreamVerdict(new Response(null, { headers: EVENTS }));
      verdict.read(new TextEncoder().encode(text));
      return verdict.hasFailed();
    };
    expect(verdictOn("event: error\n\n")).toBe(true);
    expect(verdictOn("event: error\ndata: x\n\n")).toBe(true);
    expect(verdictOn("event: errors\n\n")).toBe(false);
    expect(watch(["event: error\n\ndata: 1\n\n"]).events).toEqual(["error: ", "message: 1"]);
  });

  test.each([
    ['{"error":{"message":"rate limit"}}', true],
    ['{"error":"overloaded"}', true],
    ['{"choices":[],"error":{"code":502}}', true],
    ['{"error":null,"choices":[]}', false],
    ['{"error":""}', false],
    ['{"delta":"the \\"error\\" is"}', false],
    ['{"step":{"error":"retried"}}', false],
    ['"error"', false],
  ])("an unnamed event with the data %s has failed: %s", (data, expected) => {
    const verdict = createStreamVerdict(new Response(null, { headers: EVENTS }));
    verdict.read(new TextEncoder().encode(`data: {"text":"a"}\n\ndata: ${data}\n\n`));
    expect(verdict.hasFailed()).toBe(expected);
  });

  test("an `error` in a named event, as a graph's state may have it, is no failure", () => {
    const verdict = createStreamVerdict(new Response(null, { headers: EVENTS }));
    verdict.read(new TextEncoder().encode('event: values\ndata: {"error":"retried"}\n\n'));
    expect(verdict.hasFailed()).toBe(false);
  });

  test("is never a failure where there are no plain events", () => {
    const text = 'event: error\ndata: {"__error__":1}\n\n';
    for (const headers of [
      { "content-type": "text/plain" },
      { ...EVENTS, "content-encoding": "gzip" },
    ]) {
      expect(watch([text], { headers, failsOn: '{"__error__":1}' })).toMatchObject({
        events: [],
        hasFailed: false,
      });
    }
  });

  test("keeps a line of a MiB and drops a longer one, which is content", () => {
    const kept = "x".repeat(MIB - "data: ".length);
    expect(watch([`data: ${kept}`, "\n\n"]).seen[0]?.text).toHaveLength(kept.length);
    expect(watch([`data: ${kept}y`, "z\n\n", "data: 1\n\n"]).events).toEqual(["message: 1"]);
  });

  test("is by the known failures where the route says nothing", () => {
    const verdict = createStreamVerdict(new Response(null, { headers: EVENTS }));
    verdict.read(new TextEncoder().encode('data: {"__error__":{}}\n\n'));
    expect(verdict.hasFailed()).toBe(true);
    expect(isKnownSuccess({ status: 200, headers: new Headers(), text: "fine" })).toBe(true);
  });
});

describe("the verdict on a stream whose route says nothing", () => {
  const rpc = (id: unknown, members: object) => JSON.stringify({ jsonrpc: "2.0", id, ...members });
  const result = (id: unknown) => rpc(id, { result: { content: [{ type: "text", text: "x" }] } });
  const error = (id: unknown) => rpc(id, { error: { code: -32601, message: "Method not found" } });
  const task = (id: number, state: string) =>
    rpc(id, { result: { statusUpdate: { status: { state } } } });
  const artifact = rpc(1, { result: { kind: "artifact-update", artifact: {} } });
  const cancel = (error: string, message = "") =>
    ["error", JSON.stringify({ error, message }, null, 2)] as const;

  /** Events as their data, or as name and data. */
  function hasFailed(...events: (string | readonly [string, string])[]): boolean {
    const verdict = createStreamVerdict(new Response(null, { headers: EVENTS }));
    for (const each of events) {
      const [name, data] = typeof each === "string" ? ["message", each] : each;
      const lines = data.split("\n").map((line) => `data: ${line}\n`);
      verdict.read(new TextEncoder().encode(`event: ${name}\n${lines.join("")}\n`));
    }
    return verdict.hasFailed() === true;
  }

  test.each([
    ["one call that succeeded beside one that failed", [result(1), error(2)]],
    ["one that failed before one that succeeded", [error(2), result(1)]],
    ["one that failed with an MCP result", [result(1), rpc(2, { result: { isError: true } })]],
    ["an entry that the server could not read", [result(1), error(null)]],
    ["two calls under one id", [result(1), error(1), error(2)]],
    ["ids that differ by type alone", [result(1), error("1")]],
    ["a batch in one event", [`[${result(1)},${error(2)}]`]],
    ["a batch in one event after a failure", [error(3), `[${error(2)},${result(1)}]`]],
    ["two tasks, one of which failed", [task(1, "working"), task(2, "failed")]],
  ])("T19: a batch with %s is owed", (_what, events) => {
    expect(hasFailed(...events)).toBe(false);
  });

  test.each([
    ["whose calls all failed", [error(1), error(2)]],
    ["whose calls all failed, beside a notification", [rpc(undefined, { method: "x" }), error(1)]],
    ["whose calls all failed, beside a question", [rpc(9, { method: "roots/list" }), error(1)]],
    ["of one task that failed after content", [artifact, task(1, "TASK_STATE_FAILED")]],
    ["of one task whose call failed after content", [artifact, error(1)]],
    ["with an error event after a result", [result(1), ["error", "no luck"]]],
    ["with `__error__` after a result", [result(1), '{"__error__":{}}']],
  ] as [string, Parameters<typeof hasFailed>][])("T19: a stream %s has failed", (_what, events) => {
    expect(hasFailed(...events)).toBe(true);
  });

  test.each([
    ["interrupt", cancel("Error", "interrupt")],
    ["rollback", cancel("Error", "rollback")],
    ["UserInterrupt", cancel("UserInterrupt", "User interrupted the run")],
    ["UserRollback", cancel("UserRollback")],
  ])(
    "T19: a run that is cancelled (%s) after an event is owed, and before one failed",
    (_what, event) => {
      expect(hasFailed(["metadata", "{}"], event)).toBe(false);
      expect(hasFailed(event)).toBe(true);
      expect(hasFailed(["metadata", "{}"], ["error", '{"error":"Error"}'], event)).toBe(true);
    },
  );

  test.each([
    ["its own aborted call", cancel("AbortError", "This operation was aborted")],
    ["a task that was cancelled", cancel("CancelledError")],
    ["an error that mentions a rollback", cancel("Error", "rollback failed")],
    ["an error of another kind", cancel("DatabaseError", "rollback")],
    ["an error without words", ["error", "rollback"] as const],
  ])("an agent that fails with %s has failed", (_what, event) => {
    expect(hasFailed(["metadata", "{}"], event)).toBe(true);
  });
});
