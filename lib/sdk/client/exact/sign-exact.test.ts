import { expect, test, vi } from "vitest";
import { USDC } from "../../protocol/exact/usdc.ts";
import { encodeHeader } from "../../protocol/x402-headers.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  SUBSCRIBER,
} from "../../test-support/fake-service.ts";
import { Payments } from "../payments.ts";

const [BASE, POLYGON] = ["eip155:8453", "eip155:137"] as const;

function setUp() {
  const service = createFakeService();
  const signTypedData = vi.fn(async () => `0x${"1b".repeat(65)}`);
  const sent: string[] = [];
  const pay = (network: string, key: string, isLost: boolean) => {
    const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
    const offer = {
      scheme: "exact",
      network,
      amount: "10000",
      asset: USDC[network],
      payTo: BUILDER,
      extra: { name: "USD Coin", version: "2" },
    };
    const reach = async (request: Request) => {
      const payment = request.headers.get("payment-signature");
      if (payment === null) {
        const headers = {
          "payment-required": encodeHeader({ x402Version: 2, accepts: [offer] }),
        };
        return new Response("{}", { status: 402, headers });
      }
      sent.push(payment);
      if (isLost) throw new TypeError("The connection broke off.");
      return Response.json({ done: true });
    };
    return payments.fetch(
      "https://seller.example/quote",
      { headers: { "idempotency-key": key } },
      { fetch: reach, signer: { address: SUBSCRIBER, signTypedData }, maxSpend: 1n },
    );
  };
  return { pay, sent, signTypedData };
}

test("a key that a wallet paid with on one network signs nothing on another", async () => {
  const { pay, sent, signTypedData } = setUp();
  const key = crypto.randomUUID();
  await expect(pay(BASE, key, true)).rejects.toMatchObject({ code: "outcome_unknown" });
  await expect(pay(POLYGON, key, false)).rejects.toMatchObject({ code: "idempotency_conflict" });
  expect(signTypedData).toHaveBeenCalledTimes(1);
  expect((await pay(BASE, key, false)).response.status).toBe(200);
  expect((await pay(POLYGON, crypto.randomUUID(), false)).response.status).toBe(200);
  expect(sent).toHaveLength(4);
});
