import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpError } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Payments } from "../client/payments.ts";
import type { GateOptions } from "../gate/gate-options.ts";
import { createMemoryQueue } from "../gate/queue/memory-queue.ts";
import { createMemoryAnswers } from "../gate/repeats/memory-answers.ts";
import { callPaidTool } from "../mcp/call-paid-tool.ts";
import type { ToolResult } from "../mcp/tool-result.ts";
import { type ToolExtra, withPayment } from "../mcp/with-payment.ts";
import { toJson } from "../protocol/json.ts";
import { apiKeyOf, BUILDER, createFakeService, SUBSCRIBER } from "../test-support/fake-service.ts";
import { createSellingService } from "../test-support/selling-service.ts";
import { skipWaits } from "../test-support/skip-waits.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const setUp = (run: () => ToolResult | Promise<ToolResult>, options: GateOptions = {}) => {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const work = vi.fn(run);
  const tool = withPayment<[object, ToolExtra], ToolResult>(
    payments,
    { server: "reader", tool: "count", planId: "42" },
    work,
    { queue: createMemoryQueue(), report: false, ...options },
  );
  return { service, payments, work, tool };
};

test("T14: a lost reply to a bearer token is asked for again, and paid once", async () => {
  // A platform without Ed25519 signs nothing.
  vi.spyOn(crypto.subtle, "generateKey").mockRejectedValue(new Error("no Ed25519"));
  const { service, payments, work, tool } = setUp(() => ({ content: [] }));
  let isLost = false;
  const client = {
    async callTool({ arguments: given = {}, _meta }: { arguments?: object; _meta?: object }) {
      const answer = await tool(given, { _meta } as ToolExtra);
      if (isLost || !_meta) return answer;
      isLost = true;
      throw new Error("Request timed out");
    },
  };
  const call = { name: "count" };
  const { holder, receipt } = await callPaidTool(payments, client, call, { planId: "42" });
  expect([holder, receipt?.success]).toEqual(["bearer", true]);
  expect(work).toHaveBeenCalledTimes(1);
  const ids = service.called("settle").map(({ body }) => body.agentRequestId);
  expect(new Set(ids).size).toBe(1);
});

test("a tool that settles first and fails answers with the receipt of its charge", async () => {
  const { payments, service, tool } = setUp(() => ({ isError: true, content: [] }), {
    settle: "before",
  });
  const client = {
    callTool: ({ _meta }: { _meta?: object }) => tool({}, { ...(_meta && { _meta }) } as ToolExtra),
  };
  const { result, receipt } = await callPaidTool(payments, client, { name: "count" });
  expect(result.isError).toBe(true);
  expect(service.called("settle")).toHaveLength(1);
  expect(receipt).toMatchObject({ success: true, outcome: "failed" });
});

describe("a paid call whose answer did not come is asked for again, and its key is charged once", () => {
  beforeEach(skipWaits);

  test.each([
    ["a proxy's 504", () => new StreamableHTTPError(504, "Error POSTing to endpoint")],
    ["a proxy's 502", () => new StreamableHTTPError(502, "Error POSTing to endpoint")],
    ["an answer of another type", () => new StreamableHTTPError(-1, "Unexpected content type")],
    ["a broken connection", () => new TypeError("fetch failed")],
    ["a closed connection", () => new McpError(-32_000, "Connection closed")],
    ["the client's time limit", () => new McpError(-32_001, "Request timed out")],
    ["a browser's network error", () => new DOMException("gone", "NetworkError")],
  ])("%s", async (_, error) => {
    const { service, work, call } = failingClient([
      () => {
        throw error();
      },
    ]);
    // Where the first one is not asked for again automatically, its caller does.
    const paid = await call().catch(call);
    expect(paid.receipt).toMatchObject({ success: true });
    expect(work).toHaveBeenCalledTimes(1);
    expect(service.called("settle")).toHaveLength(1);
  });
});

const lost = () => {
  throw new StreamableHTTPError(504, "Error POSTing to endpoint");
};
/** A gate's refusal without a requirement, where its text alone has it. */
const refused = (code: string, more = {}) => {
  const body = { error: code, code, reason: "…", retryable: false, message: "…", ...more };
  return (): ToolResult => ({ isError: true, content: [{ type: "text", text: toJson(body) }] });
};

describe("a repeat that a gate refuses without a requirement does not end a call whose answer was lost", () => {
  beforeEach(skipWaits);

  test.each([
    ["a replica whose sibling works on it", "conflict"],
    ["a gate that can't reach the service", "unavailable"],
  ])("%s is asked again", async (_, code) => {
    const { service, work, call } = failingClient([lost, refused(code), refused(code)]);
    expect((await call()).receipt).toMatchObject({ success: true });
    expect(work).toHaveBeenCalledTimes(1);
    expect(service.called("settle")).toHaveLength(1);
  });

  test.each(["idempotency_conflict", "internal"])(
    "the lost answer is thrown, and its own repeat is not paid again: %s",
    async (code) => {
      const { service, call } = failingClient([lost, refused(code)]);
      await expect(call()).rejects.toMatchObject({ code: 504 });
      expect((await call()).receipt).toMatchObject({ success: true });
      expect(service.called("settle")).toHaveLength(1);
    },
  );

  test("a replica that waits for its sibling gives the sibling's answer", async () => {
    const answers = createMemoryAnswers();
    let finish = () => {};
    const working = new Promise<void>((done) => {
      finish = done;
    });
    const work = vi.fn(async () => {
      await working;
      return { content: [] };
    });
    const service = createSellingService(1n, () => 0);
    const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
    const route = { server: "reader", tool: "count", planId: "42" };
    const open = () =>
      withPayment<[object, ToolExtra], ToolResult>(payments, route, work, {
        queue: createMemoryQueue(),
        report: false,
        answers,
      });
    const [first, second] = [open(), open()];
    let answering: Promise<unknown> | undefined;
    let repeats = 0;
    const client = {
      async callTool({ _meta }: { _meta?: object }) {
        const extra = { ...(_meta && { _meta }) } as ToolExtra;
        if (!_meta) return first({}, extra);
        if (!answering) {
          answering = first({}, extra);
          await vi.waitUntil(() => work.mock.calls.length > 0, { timeout: 10_000 });
          return lost();
        }
        repeats += 1;
        if (repeats === 3) {
          finish();
          await answering;
        }
        return second({}, extra);
      },
    };
    const options = { planId: "42", maxSpend: 500n };
    const paid = await callPaidTool(payments, client, { name: "count" }, options);
    expect(paid.receipt).toMatchObject({ success: true });
    expect([repeats, work.mock.calls.length, service.called("settle").length]).toEqual([3, 1, 1]);
  });
});

test("a tool's own error with one of the gate's codes is the call's outcome", async () => {
  const own = { code: "conflict", message: "Two words have the same place." };
  const result = { isError: true, structuredContent: own };
  const { call } = failingClient([lost, () => result]);
  expect((await call()).result).toEqual(result);
});

test("a tool that times out is not sent again, and its result names the request", async () => {
  const forever = () => new Promise<ToolResult>(() => {});
  const { payments, service, work, tool } = setUp(forever, { timeoutMs: 50 });
  const client = {
    callTool: ({ _meta }: { _meta?: object }) => tool({}, { ...(_meta && { _meta }) } as ToolExtra),
  };
  const { result, agentRequestId } = await callPaidTool(payments, client, { name: "count" });
  expect(result).toMatchObject({ structuredContent: { code: "timeout" } });
  expect(agentRequestId).toBe(service.called("verify")[0]?.body.agentRequestId);
  expect(work).toHaveBeenCalledTimes(1);
});

/** A tool behind a gate, and a client whose paid calls end one after the other as `ends` says, and then as the tool answers. */
function failingClient(ends: ((unpaid: ToolResult) => unknown)[]) {
  const service = createSellingService(1n, () => 0);
  const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
  const work = vi.fn((): ToolResult => ({ content: [] }));
  const tool = withPayment<[object, ToolExtra], ToolResult>(
    payments,
    { server: "reader", tool: "count", planId: "42" },
    work,
    { queue: createMemoryQueue(), report: false },
  );
  const client = {
    async callTool({ _meta }: { _meta?: object }) {
      const answer = await tool({}, { ...(_meta && { _meta }) } as ToolExtra);
      const end = _meta && ends.shift();
      return end ? (end(await tool({}, {})) as ToolResult) : answer;
    },
  };
  const options = { planId: "42", maxSpend: 500n, idempotencyKey: "count-the-words-0001" };
  return { service, work, call: () => callPaidTool(payments, client, { name: "count" }, options) };
}

test.each([504, 503, 1001, -32_000, -32_001])(
  "an error of the server is its answer, whatever its code: %i",
  async (code) => {
    const { work, call } = failingClient([
      () => {
        throw new McpError(code, "The words can't be read.");
      },
    ]);
    await expect(call()).rejects.toMatchObject({ code });
    expect(work).toHaveBeenCalledTimes(1);
  },
);

test("an error of the server that answers a repeat after a broken connection is told", async () => {
  const [broken, failure] = [new TypeError("fetch failed"), new McpError(-32_603, "Out of words.")];
  const ends = [broken, failure].map((error) => () => {
    throw error;
  });
  const { call } = failingClient(ends);
  await expect(call()).rejects.toMatchObject({
    code: "outcome_unknown",
    message: expect.stringContaining("Out of words."),
    cause: broken,
  });
});

test("a lost answer that a repeat does not tell is thrown, and not the repeat's requirement returned", async () => {
  const required = (unpaid: ToolResult) => unpaid;
  const { call } = failingClient([lost, required]);
  await expect(call()).rejects.toMatchObject({ code: 504 });
});
