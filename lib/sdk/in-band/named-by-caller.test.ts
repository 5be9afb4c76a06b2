import { describe, expect, test } from "vitest";
import { A2A_PAYMENT } from "../a2a/metadata.ts";
import { sendPaidMessage } from "../a2a/send-paid-message.ts";
import { Payments } from "../client/payments.ts";
import { callPaidTool } from "../mcp/call-paid-tool.ts";
import { MCP_PAYMENT } from "../mcp/tool-result.ts";
import { USDC } from "../protocol/exact/usdc.ts";
import { apiKeyOf, BUILDER, createFakeService, SUBSCRIBER } from "../test-support/fake-service.ts";

const NETWORK = "eip155:8453";
const planOffer = { scheme: "svc:erc4337", network: NETWORK, planId: "42", amount: "1" };
const exactOffer = {
  ...{ scheme: "exact", network: NETWORK, amount: "10000", asset: USDC[NETWORK], payTo: BUILDER },
  ...{ maxTimeoutSeconds: 60, extra: { name: "USD Coin", version: "2" } },
};
const signer = { address: SUBSCRIBER, signTypedData: async () => `0x${"1b".repeat(65)}` };
const options = {
  signer,
  maxSpend: 1n,
  idempotencyKey: "one-task-of-a-user",
  allowPlans: ["42"],
};

/** What a seller can charge once. */
type Payment = { payload: { authorization: { nonce?: string } } };
/** Answers a payment, or asks for one. */
type Seller = (payment: Payment | undefined) => object | null;

const protocols = {
  callPaidTool: (payments: Payments, seller: Seller) => {
    const client = {
      async callTool({ _meta }: { _meta?: Record<string, unknown> }) {
        const required = seller(_meta?.[MCP_PAYMENT] as Payment | undefined);
        return required ? { isError: true, structuredContent: required } : { content: [] };
      },
    };
    return callPaidTool(payments, client as never, { name: "quote" }, options);
  },
  sendPaidMessage: (payments: Payments, seller: Seller) => {
    const answer = { kind: "message", messageId: "1", role: "agent", parts: [] };
    const client = {
      async sendMessage({ message }: { message: { metadata?: Record<string, unknown> } }) {
        const required = seller(message.metadata?.[A2A_PAYMENT.PAYLOAD] as Payment | undefined);
        return required ? { ...answer, metadata: { [A2A_PAYMENT.REQUIRED]: required } } : answer;
      },
    };
    const params = { message: { ...answer, role: "user" } };
    return sendPaidMessage(payments, client as never, params as never, options);
  },
};

describe.each(Object.entries(protocols))("%s", (_, call) => {
  describe.each([
    ["by exact from a wallet", exactOffer],
    ["by a plan", planOffer],
  ])("pays %s once for a key", (_kind, offer) => {
    test.each<[string, string | undefined]>([
      ["the same URL", "https://agent.test/quote"],
      ["another query", "https://agent.test/quote?ask=2"],
      ["another path", "https://agent.test/v2/quote"],
      ["no URL", undefined],
    ])("also where its seller names %s when the call is made again", async (_change, later) => {
      const service = createFakeService();
      const open = () =>
        Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
      const payments = open();
      let url: string | undefined = "https://agent.test/quote";
      let isLosing = true;
      const nonces = new Set<string | undefined>();
      const seller: Seller = (payment) => {
        const required = {
          x402Version: 2,
          code: "token_missing",
          ...(url && { resource: { url } }),
          accepts: [offer],
        };
        if (!payment) return required;
        nonces.add(payment.payload.authorization.nonce);
        if (isLosing) throw new Error("Connection closed");
        return null;
      };
      await expect(call(payments, seller)).rejects.toThrow();
      [url, isLosing] = [later, false];
      await call(payments, seller);
      // A wallet pays once also after a restart, which forgets its call.
      if (offer === exactOffer) await call(open(), seller);
      expect([nonces.size, service.called("mint").length]).toEqual([
        1,
        offer === planOffer ? 1 : 0,
      ]);
    });
  });
});
