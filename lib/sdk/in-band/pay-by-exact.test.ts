import { UrlElicitationRequiredError } from "@modelcontextprotocol/sdk/types.js";
import { expect, test } from "vitest";
import { sendPaidMessage } from "../a2a/send-paid-message.ts";
import { Payments } from "../client/payments.ts";
import { callPaidTool } from "../mcp/call-paid-tool.ts";
import { MCP_PAYMENT, MCP_PAYMENT_RESPONSE } from "../mcp/tool-result.ts";
import { USDC } from "../protocol/exact/usdc.ts";
import { apiKeyOf, BUILDER, createFakeService, SUBSCRIBER } from "../test-support/fake-service.ts";

const NETWORK = "eip155:8453";
const required = {
  x402Version: 2,
  resource: { url: "mcp://tool/quote" },
  accepts: [
    {
      scheme: "exact",
      network: NETWORK,
      amount: "10000",
      asset: USDC[NETWORK],
      payTo: BUILDER,
      maxTimeoutSeconds: 60,
      extra: { name: "USD Coin", version: "2" },
    },
  ],
};
const receipt = { success: true, transaction: "0x1", network: NETWORK, payer: SUBSCRIBER };
const signature = `0x${"1b".repeat(65)}`;
const signer = { address: SUBSCRIBER, signTypedData: async () => signature };
const clientOf = () =>
  Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: createFakeService().fetch });
const signed = {
  x402Version: 2,
  accepted: required.accepts[0],
  payload: { signature, authorization: { from: SUBSCRIBER, to: BUILDER, value: "10000" } },
};

test("a tool that takes exact only gets the signed payment, and the result says what was sent", async () => {
  const sent: unknown[] = [];
  const client = {
    async callTool({ _meta }: { _meta?: Record<string, unknown> }) {
      sent.push(_meta?.[MCP_PAYMENT]);
      return _meta
        ? { content: [], _meta: { [MCP_PAYMENT_RESPONSE]: receipt } }
        : { isError: true, structuredContent: required };
    },
  };
  const options = { signer, maxSpend: 1n };
  const paid = await callPaidTool(clientOf(), client, { name: "quote" }, options);
  expect(sent).toMatchObject([undefined, signed]);
  expect(paid).toMatchObject({ result: { content: [] }, payment: { amount: "10000" } });
  expect(paid.declined).toBeUndefined();
});

test("a tool that refuses the signed payment is told about with its reason", async () => {
  const client = {
    callTool: async ({ _meta }: { _meta?: Record<string, unknown> }) => ({
      isError: true,
      structuredContent: { ...required, ...(_meta && { error: "insufficient_funds" }) },
    }),
  };
  const options = { signer, maxSpend: 1n };
  const { declined } = await callPaidTool(clientOf(), client, { name: "quote" }, options);
  expect(declined).toMatch(/insufficient_funds.*may have captured the 0.01 USDC/);
});

test("a tool that asks its user for something in answer to the payment says where, and that the call may be paid", async () => {
  const elicitations = [
    { mode: "url" as const, message: "Sign in.", url: "https://x.test", elicitationId: "1" },
  ];
  const captured = new Set<unknown>();
  const client = {
    async callTool({ _meta }: { _meta?: Record<string, unknown> }) {
      if (!_meta) return { isError: true, structuredContent: required };
      const { payload } = _meta[MCP_PAYMENT] as { payload: { authorization: { nonce: string } } };
      captured.add(payload.authorization.nonce);
      throw new UrlElicitationRequiredError(elicitations);
    },
  };
  const payments = clientOf();
  const options = { signer, maxSpend: 1n, idempotencyKey: "one-task-of-a-user" };
  const call = () => callPaidTool(payments, client, { name: "quote" }, options).catch((e) => e);
  const asked = await call();
  expect(asked).toBeInstanceOf(UrlElicitationRequiredError);
  const [{ code, data }, payment] = [asked, { amount: "10000" }];
  expect([code, data, asked.payment]).toMatchObject([-32042, { elicitations }, payment]);
  expect(asked.message).toBe(
    "MCP error -32042: URL elicitation required. The call may be paid. Call again with the same `idempotencyKey`: it never pays twice.",
  );
  await call();
  expect(captured.size).toBe(1);
});

test.each([
  ["at once", []],
  ["after a broken connection", [new TypeError("The connection broke off.")]],
])(
  "a tool that answers the payment with an error %s: what was signed is told",
  async (_, before) => {
    const failure = Object.assign(new Error("The quote can't be read"), { code: -32_603 });
    const errors = [...before, failure];
    const client = {
      async callTool({ _meta }: { _meta?: Record<string, unknown> }) {
        if (!_meta) return { isError: true, structuredContent: required };
        throw errors.shift();
      },
    };
    const options = { signer, maxSpend: 1n };
    await expect(
      callPaidTool(clientOf(), client, { name: "quote" }, options),
    ).rejects.toMatchObject({
      code: "outcome_unknown",
      message: expect.stringContaining("The quote can't be read"),
      payment: { amount: "10000", seller: BUILDER },
    });
  },
);

test("an A2A agent that takes exact only gets the signed payment in its metadata", async () => {
  const sent: unknown[] = [];
  const client = {
    async sendMessage({ message }: { message: { metadata?: Record<string, unknown> } }) {
      const payment = message.metadata?.["x402.payment.payload"];
      sent.push(payment);
      const metadata = payment
        ? { "x402.payment.receipts": [receipt] }
        : { "x402.payment.required": required };
      return { kind: "message", messageId: "1", role: "agent", parts: [], metadata } as const;
    },
  };
  const message = { kind: "message", messageId: "0", role: "user", parts: [] } as const;
  const options = { signer, maxSpend: 1n };
  const paid = await sendPaidMessage(clientOf(), client as never, { message } as never, options);
  expect(sent).toMatchObject([undefined, signed]);
  expect(paid.payment).toMatchObject({ amount: "10000", status: "unknown" });
});
