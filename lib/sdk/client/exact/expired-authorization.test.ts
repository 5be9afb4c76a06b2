import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { encodeHeader } from "../../protocol/x402-headers.ts";
import { apiKeyOf, createFakeService, SUBSCRIBER } from "../../test-support/fake-service.ts";
import { authorizationOf, exactOffer } from "../../test-support/signed-authorization.ts";
import { Payments } from "../payments.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

test("a refused call is paid by the next authorization once its own has expired unused, and counts once", async () => {
  const service = createFakeService();
  const signed = new Map<string | null, ReturnType<typeof authorizationOf>>();
  service.handlers.createAuthorization = (call) => {
    const key = call.headers.get("idempotency-key");
    const own = signed.get(key) ?? authorizationOf(call);
    signed.set(key, own);
    const isOver = Number(own.payload.authorization.validBefore) * 1000 <= Date.now();
    return { ...own, status: isOver ? "expired" : "open" };
  };
  const payments = Payments.getInstance({
    apiKey: apiKeyOf(SUBSCRIBER),
    fetch: service.fetch,
    maxSpend: { perSeller: 1n },
  });
  const required = encodeHeader({ x402Version: 2, accepts: [exactOffer] });
  const asking = { status: 402, headers: { "payment-required": required } };
  let isRefusing = true;
  const fetch = async ({ headers }: Request) =>
    headers.has("payment-signature") && !isRefusing
      ? new Response("done")
      : new Response("{}", asking);
  const pay = async () => {
    const init = { headers: { "idempotency-key": "refused-call-0001" } };
    const options = { fetch, maxSpend: 1n };
    return (await payments.fetch("https://seller.example/quote", init, options)).response.status;
  };
  expect(await pay()).toBe(402);
  vi.setSystemTime(Date.now() + 61_000);
  isRefusing = false;
  expect([await pay(), await pay()]).toEqual([200, 200]);
  const ofCall = expect.stringMatching(/^[0-9a-f]{64}$/);
  expect([...signed.keys()]).toEqual([ofCall, expect.stringMatching(/^next_/)]);
});
