import { expect, test } from "vitest";
import {
  apiKeyOf,
  createFakeService,
  planOf,
  SUBSCRIBER,
} from "../../test-support/fake-service.ts";
import { exactOffer } from "../../test-support/signed-authorization.ts";
import { Payments } from "../payments.ts";

test("a 402 with many offers by exact asks the service for a few of their plans", async () => {
  const service = createFakeService();
  service.handlers.getPlan = () => planOf("42");
  const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
  const { network, payTo } = exactOffer;
  const accepts = Array.from({ length: 500 }, (_, index) => ({
    ...{ scheme: "exact", network, amount: "1", asset: "0x1", payTo },
    planId: `${1_000 + index}`,
  }));
  const challenge = async () => Response.json({ x402Version: 2, accepts }, { status: 402 });
  const paid = await payments.fetch("https://seller.example/quote", {}, { fetch: challenge });
  expect(paid.declined).toBeDefined();
  expect(service.calls.length).toBeLessThanOrEqual(20);
});
