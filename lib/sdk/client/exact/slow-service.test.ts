import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { encodeHeader } from "../../protocol/x402-headers.ts";
import { apiKeyOf, createFakeService, SUBSCRIBER } from "../../test-support/fake-service.ts";
import { authorizationOf, exactOffer } from "../../test-support/signed-authorization.ts";
import { Payments } from "../payments.ts";

// No time passes, but where a test lets it.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** A buyer whose service signs once and then answers nothing, and a payment to a seller; `asked` once the service is asked what became of it. */
function setUp(sell: (paid: Request, leave: () => void) => Promise<Response> | Response) {
  const service = createFakeService();
  let hear = () => {};
  const asked = new Promise<void>((resolve) => {
    hear = resolve;
  });
  service.handlers.createAuthorization = (call) => {
    if (service.called("createAuthorization").length === 1) return authorizationOf(call);
    hear();
    return new Promise(() => {});
  };
  const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
  const leaving = new AbortController();
  const required = encodeHeader({ x402Version: 2, accepts: [exactOffer] });
  const fetch = async (request: Request) => {
    if (!request.headers.has("payment-signature"))
      return new Response("{}", { status: 402, headers: { "payment-required": required } });
    return sell(request, () => leaving.abort(new Error("enough")));
  };
  const paid = payments.fetch(
    "https://seller.example/quote",
    { signal: leaving.signal },
    { fetch, maxSpend: 1n },
  );
  return { paid, asked, leave: () => leaving.abort() };
}

const UNKNOWN = { payment: { status: "unknown", amount: "10000" } };

test("a paid answer waits three seconds at most for a service that does not say what became of the payment", async () => {
  const { paid, asked } = setUp(() => new Response("done"));
  await asked;
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await paid).toMatchObject({ response: { status: 200 }, ...UNKNOWN });
});

test("a paid answer waits no longer once its caller gives up", async () => {
  const { paid, asked, leave } = setUp(() => new Response("done"));
  await asked;
  leave();
  expect(await paid).toMatchObject({ response: { status: 200 }, ...UNKNOWN });
});

test("a caller who gives up a payment does not wait for the service", async () => {
  const { paid } = setUp(({ signal }, leave) => {
    leave();
    return Promise.reject(signal.reason);
  });
  await expect(paid).rejects.toMatchObject({ code: "outcome_unknown", ...UNKNOWN });
});
