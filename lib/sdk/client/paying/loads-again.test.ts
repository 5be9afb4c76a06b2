import { expect, test, vi } from "vitest";
import { apiKeyOf, createFakeService, SUBSCRIBER } from "../../test-support/fake-service.ts";
import { Payments } from "../payments.ts";

let loads = 0;
vi.mock("./pay-challenge.ts", async (original) => {
  loads += 1;
  if (loads === 1) throw new TypeError("Failed to fetch dynamically imported module");
  return original();
});

test("a call pays although the code for it could not be loaded for the call before", async () => {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
  const accepts = [{ scheme: "svc:erc4337", planId: "42", amount: "1" }];
  const asking = { code: "token_missing", paymentRequired: { x402Version: 2, accepts } };
  const fetch = async (request: Request) =>
    request.headers.has("payment-signature")
      ? new Response("done")
      : Response.json(asking, { status: 402 });
  const call = () => payments.fetch("https://agent.example/ask", {}, { fetch });
  await expect(call()).rejects.toThrow();
  expect((await call()).response.status).toBe(200);
});
