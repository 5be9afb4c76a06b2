import { expect, test, vi } from "vitest";
import { encodeHeader } from "../protocol/x402-headers.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  refusal,
  SUBSCRIBER,
} from "../test-support/fake-service.ts";
import { Payments } from "./payments.ts";

const USDC = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";
const exactOffer = (extra: object = {}) => ({
  scheme: "exact",
  network: "eip155:84532",
  amount: "10000",
  asset: USDC,
  payTo: BUILDER,
  maxTimeoutSeconds: 60,
  extra: { name: "USDC", version: "2", ...extra },
});
const planOffer = { scheme: "svc:erc4337", planId: "42", amount: "5" };
const challengeOf = (accepts: object[]) =>
  new Response("{}", {
    status: 402,
    headers: { "payment-required": encodeHeader({ x402Version: 2, accepts }) },
  });

function setUp(challenge: () => Response) {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
  const reach = vi.fn(async (_request: Request) => challenge());
  const ask = (options: object) =>
    payments.fetch("http://agent.test/ask", {}, { fetch: reach, ...options });
  return { ask, reach, service };
}

test("a redirect to an address that asks for payment is declined with the address, and nothing is minted", async () => {
  const { ask, reach, service } = setUp(() => {
    const challenge = challengeOf([planOffer]);
    Object.defineProperty(challenge, "redirected", { value: true });
    Object.defineProperty(challenge, "url", { value: "https://moved.test/ask" });
    return challenge;
  });
  const { declined, response } = await ask({});
  expect(declined).toContain("https://moved.test/ask");
  expect(response.status).toBe(402);
  expect(reach).toHaveBeenCalledTimes(1);
  expect(service.called("mint")).toEqual([]);
});

test("plans that cost more credits than the call allows are not paid by exact instead", async () => {
  const { ask, reach } = setUp(() => challengeOf([planOffer, exactOffer()]));
  const signer = { address: SUBSCRIBER, signTypedData: vi.fn() };
  const { declined } = await ask({ maxCredits: 2n, maxSpend: 100n, signer });
  expect(declined).toBe("Every offer costs more than 2 credits.");
  expect(signer.signTypedData).not.toHaveBeenCalled();
  expect(reach).toHaveBeenCalledTimes(1);
});

test("the account signs nothing for a seller on the same service, and keeps its limits", async () => {
  const { ask, service, reach } = setUp(() => challengeOf([exactOffer({ planId: "42" })]));
  const { declined } = await ask({ maxSpend: 100n });
  expect(declined).toContain("Pass a wallet as `signer`.");
  expect(service.calls.map(({ name }) => name)).toEqual(["getPlan"]);
  expect(reach).toHaveBeenCalledTimes(1);
});

test.each([
  ["of x402 version 1", { x402Version: 1, accepts: [{ scheme: "exact" }] }, "x402 version 1"],
  ["without offers", { x402Version: 2, accepts: [] }, "no offer"],
  ["without a requirement", { error: "Pay." }, "no requirement"],
])("a 402 %s is declined with what it lacks", async (_, asked, why) => {
  const inBody = setUp(() => Response.json(asked, { status: 402 }));
  expect((await inBody.ask({})).declined).toContain(why);
  const headers = { "payment-required": encodeHeader(asked) };
  const inHeader = setUp(() => new Response(null, { status: 402, headers }));
  expect((await inHeader.ask({})).declined).toContain(why);
});

const unknownOffer = { ...planOffer, planId: "77" };
const withoutAmount = ({ amount: _, ...offer }: typeof planOffer) => offer;

test.each([
  ["with an amount", unknownOffer],
  ["without an amount", withoutAmount(unknownOffer)],
])(
  "an offer of a plan the service does not know, %s, leaves the next one to be paid",
  async (_, unknown) => {
    const { ask, reach, service } = setUp(() => challengeOf([unknown, planOffer]));
    reach.mockImplementation(async ({ headers }) =>
      headers.has("payment-signature") ? new Response("done") : challengeOf([unknown, planOffer]),
    );
    expect((await ask({})).response.status).toBe(200);
    expect(service.called("mint").map(({ body }) => body.accepted)).toMatchObject([
      { planId: "42" },
    ]);
  },
);

test.each([
  ["with an amount", unknownOffer],
  ["without an amount", withoutAmount(unknownOffer)],
])("where the service knows none of the plans, %s, it says so", async (_, unknown) => {
  const { ask, service } = setUp(() => challengeOf([unknown]));
  await expect(ask({})).rejects.toMatchObject({ code: "not_found" });
  expect(service.called("mint")).toEqual([]);
});

test("a plan that cannot be read now is not passed over for the next one", async () => {
  const { ask, service } = setUp(() => challengeOf([unknownOffer, planOffer]));
  service.handlers.getPlan = () => refusal(500, "internal");
  await expect(ask({})).rejects.toMatchObject({ code: "internal" });
  expect(service.called("mint")).toEqual([]);
});
