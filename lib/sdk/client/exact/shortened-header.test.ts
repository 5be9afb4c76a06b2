import { expect, test } from "vitest";
import { createGate } from "../../gate/gate.ts";
import { createMemoryQueue } from "../../gate/queue/memory-queue.ts";
import { USDC } from "../../protocol/exact/usdc.ts";
import { getErc20PriceConfig } from "../../protocol/plans/price-builders.ts";
import { decodeHeader } from "../../protocol/x402-headers.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  planOf,
  SUBSCRIBER,
} from "../../test-support/fake-service.ts";
import { Payments } from "../payments.ts";

const [network, usdc = ""] = Object.entries(USDC).find(([id]) => id === "eip155:84532") ?? [];

test("an offer that a long header leaves to the body is paid", async () => {
  const plans = Array.from({ length: 8 }, (_, at) => {
    const plan = planOf(`2887545292040338788219339903886518084${at}`);
    const price = getErc20PriceConfig(BigInt(8 - at) * 1_000_000n, usdc, BUILDER);
    return { ...plan, registry: { ...plan.registry, price } };
  });
  const seller = Payments.getInstance({
    apiKey: apiKeyOf(BUILDER),
    fetch: createFakeService(plans).fetch,
  });
  const gate = createGate(
    seller,
    { "POST /ask": { planId: plans.map(({ planId }) => planId), exact: true } },
    { report: false, queue: createMemoryQueue(), logger: { error() {} } },
  );
  const paid: string[] = [];
  const inHeader: string[] = [];
  const fetch = async (request: Request) => {
    const payment = request.headers.get("payment-signature");
    if (payment !== null) {
      paid.push((decodeHeader(payment) as { accepted: { amount: string } }).accepted.amount);
      return new Response("done");
    }
    const response = await gate(request, async () => new Response("free"));
    inHeader.push(atob(response.headers.get("payment-required") ?? ""));
    return response;
  };
  const buyer = Payments.getInstance({
    apiKey: apiKeyOf(SUBSCRIBER),
    fetch: createFakeService([]).fetch,
  });
  const signer = {
    address: SUBSCRIBER,
    signTypedData: async () => `0x${"1b".repeat(65)}`,
    assets: { [network ?? ""]: usdc },
  };
  const options = { fetch, signer, scheme: "exact", maxSpend: 100n };
  const { response } = await buyer.fetch("https://agent.example/ask", { method: "POST" }, options);
  expect([response.status, paid]).toEqual([200, ["1000000"]]);
  // Otherwise this tests nothing.
  expect(inHeader.join()).not.toContain('"1000000"');
});
