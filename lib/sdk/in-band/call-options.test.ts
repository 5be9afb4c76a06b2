import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, test, vi } from "vitest";
import { A2A_PAYMENT } from "../a2a/metadata.ts";
import { sendPaidMessage } from "../a2a/send-paid-message.ts";
import { Payments } from "../client/payments.ts";
import { callPaidTool } from "../mcp/call-paid-tool.ts";
import { MCP_PAYMENT } from "../mcp/tool-result.ts";
import { PAYMENT_IDENTIFIER } from "../protocol/x402-headers.ts";
import { apiKeyOf, BUILDER, createFakeService } from "../test-support/fake-service.ts";
import type { PaidCallOptions } from "./pay.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

afterEach(() => {
  vi.restoreAllMocks();
});

type Sent = { payment: { extensions?: Record<string, object> } | undefined; signal?: AbortSignal };

const REQUIRED = {
  x402Version: 2,
  code: "token_missing",
  resource: { url: "https://agent.test/a2a" },
  accepts: [{ scheme: "svc:erc4337", network: "eip155:84532", planId: "42", amount: "1" }],
  extensions: { [PAYMENT_IDENTIFIER]: { info: { required: false } } },
};

/** Calls by a protocol, whose seller asks for payment and then keeps what was sent; `wait` is what its answer waits for. */
const protocols = {
  callPaidTool: (payments: Payments, sent: Sent[], wait: () => Promise<void>) => {
    const client = {
      async callTool(
        { _meta }: { _meta?: Record<string, unknown> },
        _schema?: undefined,
        { signal, timeout }: { signal?: AbortSignal; timeout?: number } = {},
      ) {
        const payment = _meta?.[MCP_PAYMENT] as Sent["payment"];
        sent.push({ payment, ...(signal && { signal }), ...(timeout && { timeout }) });
        if (payment) await wait();
        return payment ? { content: [] } : { isError: true, structuredContent: REQUIRED };
      },
    };
    return (options: PaidCallOptions) =>
      callPaidTool(payments, client, { name: "count" }, { planId: "42", ...options });
  },
  sendPaidMessage: (payments: Payments, sent: Sent[], wait: () => Promise<void>) => {
    const message = {
      messageId: "m",
      contextId: "",
      taskId: "",
      role: 1,
      parts: [],
      metadata: {},
      extensions: [],
      referenceTaskIds: [],
    };
    const client = {
      async sendMessage(
        { message: given }: { message: typeof message },
        { signal }: { signal?: AbortSignal } = {},
      ) {
        const metadata = given.metadata as Record<string, unknown>;
        const payment = metadata[A2A_PAYMENT.PAYLOAD] as Sent["payment"];
        sent.push({ payment, ...(signal && { signal }) });
        if (payment) await wait();
        return payment ? message : { ...message, metadata: { [A2A_PAYMENT.REQUIRED]: REQUIRED } };
      },
    };
    return (options: PaidCallOptions) =>
      sendPaidMessage(payments, client, { message }, { planId: "42", ...options });
  },
};

describe.each(Object.entries(protocols))("%s", (name, open) => {
  const setUp = (wait = async () => {}) => {
    // A platform without Ed25519 signs nothing.
    vi.spyOn(crypto.subtle, "generateKey").mockRejectedValue(new Error("no Ed25519"));
    const service = createFakeService();
    const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
    const sent: Sent[] = [];
    return { service, sent, call: open(payments, sent, wait) };
  };
  const idOf = ({ payment }: Sent | undefined = { payment: undefined }) =>
    payment?.extensions?.[PAYMENT_IDENTIFIER];

  test("names its call by the caller's key, in the form of x402's identifier", async () => {
    const { sent, call } = setUp();
    await call({ idempotencyKey: "idem_0123456789abcdef" });
    await call({ idempotencyKey: "order-1" });
    await call({ idempotencyKey: "order-1" });
    const [, first, , second, , third] = sent;
    expect(idOf(first)).toEqual({ info: { id: "idem_0123456789abcdef" } });
    expect(idOf(second)).toEqual({ info: { id: expect.stringMatching(/^pay_[0-9a-f]{64}$/) } });
    expect(idOf(third)).toEqual(idOf(second));
  });

  test("hands its signal to the client, and ends with it", async () => {
    const stop = new AbortController();
    const { sent, call } = setUp(async () => {
      stop.abort(new Error("enough"));
      throw new Error("The connection broke off.");
    });
    await expect(call({ signal: stop.signal })).rejects.toThrow("enough");
    expect(sent.map(({ signal }) => signal?.aborted)).toEqual([true, true]);
  });

  test("sends nothing once its signal has aborted", async () => {
    const { sent, call } = setUp();
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(call({ signal })).rejects.toThrow("enough");
    expect(sent).toEqual([]);
  });

  test("pays nothing once its signal has aborted, also where a token was being minted", async () => {
    const stop = new AbortController();
    const { service, sent, call } = setUp();
    const { mint = () => null } = service.handlers;
    service.handlers.mint = (asked) => {
      stop.abort(new Error("enough"));
      return mint(asked);
    };
    await expect(call({ signal: stop.signal })).rejects.toThrow("enough");
    for (let turn = 0; turn < 100; turn += 1) await setImmediate();
    expect([service.called("mint").length, sent.length]).toEqual([1, 1]);
  });

  test("ends after its time, also with a client that has none", async () => {
    const { sent, call } = setUp(() => new Promise(() => {}));
    const ended = expect(call({ timeoutMs: 50 })).rejects.toMatchObject({ name: "TimeoutError" });
    for (let turn = 0; turn < 10; turn += 1) await setImmediate(collectGarbage());
    await ended;
    // An MCP client has its own limit.
    if (name === "callPaidTool") expect(sent[0]).toMatchObject({ timeout: 50 });
  });

  test.each(["", " "])("refuses a key that names every call alike: %j", async (idempotencyKey) => {
    const { sent, call } = setUp();
    await expect(call({ idempotencyKey })).rejects.toMatchObject({ code: "invalid_input" });
    expect(sent).toEqual([]);
  });
});
