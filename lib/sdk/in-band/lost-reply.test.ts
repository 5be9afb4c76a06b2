import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpError } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Payments } from "../client/payments.ts";
import { createMemoryQueue } from "../gate/queue/memory-queue.ts";
import { callPaidTool } from "../mcp/call-paid-tool.ts";
import type { ToolResult } from "../mcp/tool-result.ts";
import { type ToolExtra, withPayment } from "../mcp/with-payment.ts";
import { apiKeyOf, BUILDER, createFakeService, SUBSCRIBER } from "../test-support/fake-service.ts";
import { createSellingService } from "../test-support/selling-service.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const setUp = (run: () => ToolResult, settle?: "before") => {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const work = vi.fn(run);
  const tool = withPayment<[object, ToolExtra], ToolResult>(
    payments,
    { server: "reader", tool: "count", planId: "42" },
    work,
    { queue: createMemoryQueue(), report: false, ...(settle && { settle }) },
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
  const { holder, receipt } = await callPaidTool(payments, client, { name: "count" });
  expect([holder, receipt?.success]).toEqual(["bearer", true]);
  expect(work).toHaveBeenCalledTimes(1);
  const ids = service.called("settle").map(({ body }) => body.agentRequestId);
  expect(new Set(ids).size).toBe(1);
});

test("a tool that settles first and fails answers with the receipt of its charge", async () => {
  const { payments, service, tool } = setUp(() => ({ isError: true, content: [] }), "before");
  const client = {
    callTool: ({ _meta }: { _meta?: object }) => tool({}, { ...(_meta && { _meta }) } as ToolExtra),
  };
  const { result, receipt } = await callPaidTool(payments, client, { name: "count" });
  expect(result.isError).toBe(true);
  expect(service.called("settle")).toHaveLength(1);
  expect(receipt).toMatchObject({ success: true, outcome: "failed" });
});

describe("a paid call whose answer did not come is asked for again, and its key is charged once", () => {
  beforeEach(() => {
    vi.useFakeTimers({
      toFake: ["setTimeout", "performance"],
      shouldAdvanceTime: true,
      advanceTimeDelta: 500,
    });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each([
    ["a proxy's 504", () => new StreamableHTTPError(504, "Error POSTing to endpoint")],
    ["a proxy's 502", () => new StreamableHTTPError(502, "Error POSTing to endpoint")],
    ["an answer of another type", () => new StreamableHTTPError(-1, "Unexpected content type")],
    ["a broken connection", () => new TypeError("fetch failed")],
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
  const options = { maxSpend: 500n, idempotencyKey: "count-the-words-0001" };
  return { service, work, call: () => callPaidTool(payments, client, { name: "count" }, options) };
}

test.each([504, 503, 1001])(
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
  const lost = () => {
    throw new StreamableHTTPError(502, "Error POSTing to endpoint");
  };
  const required = (unpaid: ToolResult) => unpaid;
  const { call } = failingClient([lost, required]);
  await expect(call()).rejects.toMatchObject({ code: 502 });
});
