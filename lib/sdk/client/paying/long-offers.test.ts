import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { apiKeyOf, SUBSCRIBER } from "../../test-support/fake-service.ts";
import { createSellingService } from "../../test-support/selling-service.ts";
import { Payments } from "../payments.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

const MEGABYTE = 1_000_000;
const CALLS = 20;

/** An agent whose 402 is long, and which says of paid calls that they go on. */
function createSeller(offerOf: (call: number) => object) {
  let paid = 0;
  return async (request: Request) => {
    if (request.headers.has("payment-signature")) {
      paid += 1;
      return new Response("accepted", { status: 202 });
    }
    const accepts = [{ scheme: "svc:erc4337", planId: "42", amount: "1", extra: offerOf(paid) }];
    return Response.json({ paymentRequired: { x402Version: 2, accepts } }, { status: 402 });
  };
}

test.each([
  ["alike", () => ({})],
  ["different for each call", (call: number) => ({ call })],
])("offers that a seller makes long are not kept for each call: %s", async (_, own) => {
  const service = createSellingService(10_000n, () => 0);
  const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
  const note = "x".repeat(MEGABYTE / 4);
  const fetch = createSeller((call) => ({ note, ...own(call) }));
  const ask = async (call: number) => {
    const headers = { "idempotency-key": `call-of-a-buyer-${call}` };
    const init = { method: "POST", headers };
    const limits = { fetch, maxSpend: 500n };
    const { response } = await payments.fetch("https://agent.test/ask", init, limits);
    expect(response.status).toBe(202);
  };
  const heap = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  await ask(0);
  const before = heap();
  for (let call = 1; call <= CALLS; call += 1) await ask(call);
  expect(heap() - before).toBeLessThan(2 * MEGABYTE);
});
