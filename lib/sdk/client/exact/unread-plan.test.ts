import { expect, test } from "vitest";
import { PaymentsError } from "../../protocol/errors.ts";
import { encodeHeader } from "../../protocol/x402-headers.ts";
import { apiKeyOf, createFakeService, SUBSCRIBER } from "../../test-support/fake-service.ts";
import { authorizationOf, exactOffer } from "../../test-support/signed-authorization.ts";
import { Payments } from "../payments.ts";

/** What comes of a call whose offer names a plan, where the service answers the question for it with `code`. */
async function pay(code: "not_found" | "invalid_input" | "unavailable") {
  const service = createFakeService();
  service.handlers.getPlan = () => {
    throw new PaymentsError(code, "No plan was read.");
  };
  service.handlers.createAuthorization = authorizationOf;
  const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
  const offer = { ...exactOffer, extra: { ...exactOffer.extra, planId: "7" } };
  const required = encodeHeader({ x402Version: 2, accepts: [offer] });
  const fetch = async ({ headers }: Request) =>
    headers.has("payment-signature")
      ? new Response("done")
      : new Response("{}", { status: 402, headers: { "payment-required": required } });
  const paying = payments.fetch("https://seller.example/quote", {}, { fetch, maxSpend: 1n });
  const answer = await paying.catch((cause) => cause);
  return { answer, signed: service.called("createAuthorization").length };
}

test.each(["not_found", "invalid_input"] as const)(
  "an offer whose plan the service does not have is of another service: %s",
  async (code) => {
    const { answer, signed } = await pay(code);
    expect(answer).toMatchObject({ response: { status: 200 } });
    expect(signed).toBeGreaterThan(0);
  },
);

test("nothing is signed while it is not known whether the plan is of the service", async () => {
  const { answer, signed } = await pay("unavailable");
  expect(answer).toMatchObject({ code: "unavailable" });
  expect(signed).toBe(0);
});
