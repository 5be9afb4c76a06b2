import { describe, expect, test, vi } from "vitest";
import { decodeAccessToken } from "../../protocol/access-token.ts";
import { readExactPayload } from "../../protocol/exact/exact-payload.ts";
import { encodeHeader } from "../../protocol/x402-headers.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  planOf,
  SUBSCRIBER,
} from "../../test-support/fake-service.ts";
import { authorizationOf, exactOffer } from "../../test-support/signed-authorization.ts";
import type { PayingFetchOptions } from "../paid-response.ts";
import { Payments } from "../payments.ts";

const NETWORK = "eip155:84532";
const planOffer = (planId: string) => ({
  scheme: "svc:erc4337",
  network: NETWORK,
  planId,
  amount: "1",
});
const offers = [planOffer("42"), planOffer("43"), exactOffer];
const signTypedData = vi.fn(async () => `0x${"1b".repeat(65)}`);
const walletOf = (address: string) => ({
  address,
  signTypedData,
  assets: { [NETWORK]: exactOffer.asset },
});

/** A buyer with credits of two plans, and a seller who keeps whatever it is sent, and whose answers are lost as long as it says. */
function setUp() {
  const service = createFakeService([planOf("42"), planOf("43")]);
  service.handlers.createAuthorization = authorizationOf;
  signTypedData.mockClear();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
  const seller = { asks: offers as object[], isLosing: true, isRedirecting: false };
  const sent: (string | undefined)[] = [];
  const fetch = async ({ headers }: Request) => {
    const payment = headers.get("payment-signature");
    if (payment === null) {
      const required = encodeHeader({ x402Version: 2, accepts: seller.asks });
      const asking = new Response("{}", { status: 402, headers: { "payment-required": required } });
      return Object.defineProperty(asking, "redirected", { value: seller.isRedirecting });
    }
    const plan = decodeAccessToken(payment)?.payload.authorization.planId;
    sent.push(plan ?? readExactPayload(payment)?.payload.authorization.from);
    if (seller.isLosing) throw new TypeError("The connection broke off.");
    return new Response("done");
  };
  const ask = async (options: PayingFetchOptions) => {
    const init = { headers: { "idempotency-key": "lost-call-0000001" } };
    const limits = { fetch, ...options };
    return (await payments.fetch("https://seller.example/quote", init, limits)).response.status;
  };
  const lose = async (options: PayingFetchOptions) => {
    await expect(ask(options)).rejects.toThrow(/answer was lost|broke off/);
    seller.isLosing = false;
  };
  const made = () => [
    service.called("mint").length,
    service.called("createAuthorization").length,
    signTypedData.mock.calls.length,
    sent.length,
  ];
  return { ask, lose, made, seller, sent };
}

/** Ways to pay: what the seller asks for, or the caller's limits leave of all. */
const WAYS: [string, object, PayingFetchOptions][] = [
  ["a plan", planOffer("42"), { planId: "42" }],
  ["another plan", planOffer("43"), { planId: "43" }],
  ["exact from the account", exactOffer, { scheme: "exact", maxSpend: 1n }],
  [
    "exact from a wallet",
    exactOffer,
    { scheme: "exact", maxSpend: 1n, signer: walletOf(SUBSCRIBER) },
  ],
  [
    "exact from another wallet",
    exactOffer,
    { scheme: "exact", maxSpend: 1n, signer: walletOf(BUILDER) },
  ],
];
const PAIRS = WAYS.flatMap((first) =>
  WAYS.flatMap((second) =>
    first === second ? [] : [[first[0], second[0], first, second] as const],
  ),
);
const withoutScheme = ({ scheme: _, planId: __, ...limits }: PayingFetchOptions) => limits;
const UNKNOWN = { code: "outcome_unknown", hint: expect.stringContaining("the earlier limits") };

describe.each(PAIRS)(
  "a lost call that may be paid by %s is not paid by %s",
  (_, __, first, second) => {
    const [, firstOffer, firstLimits] = first;
    const [, secondOffer, secondLimits] = second;

    test("where its repeat is limited to that", async () => {
      const { ask, lose, made, sent } = setUp();
      await lose(firstLimits);
      const before = made();
      await expect(ask(secondLimits)).rejects.toMatchObject(UNKNOWN);
      expect(made()).toEqual(before);
      expect(await ask(firstLimits)).toBe(200);
      expect(new Set(sent).size).toBe(1);
    });

    test("where its seller asks for that since", async () => {
      const { ask, lose, made, seller, sent } = setUp();
      seller.asks = [firstOffer];
      await lose(withoutScheme(firstLimits));
      const before = made();
      seller.asks = [secondOffer];
      await expect(ask(withoutScheme(secondLimits))).rejects.toMatchObject(UNKNOWN);
      expect(made()).toEqual(before);
      seller.asks = [secondOffer, firstOffer];
      expect(await ask(firstLimits)).toBe(200);
      expect(new Set(sent).size).toBe(1);
    });
  },
);

test("an answered call that is made again is not paid in the other way that its seller asks for since", async () => {
  const { ask, made, seller } = setUp();
  seller.isLosing = false;
  expect(await ask({ planId: "42" })).toBe(200);
  const before = made();
  seller.asks = [exactOffer];
  await expect(ask({ maxSpend: 1n })).rejects.toMatchObject(UNKNOWN);
  expect(made()).toEqual(before);
});

test("calls at once under one key pay once, although their seller asks each for another payment", async () => {
  const { ask, seller, sent } = setUp();
  seller.isLosing = false;
  const calls = WAYS.map(([, offer, limits]) => {
    seller.asks = [offer];
    return ask(withoutScheme(limits)).catch(({ code }) => code);
  });
  const ends = await Promise.all(calls);
  expect(ends.toSorted()).toEqual([200, ...Array(WAYS.length - 1).fill("outcome_unknown")]);
  expect(sent).toHaveLength(1);
});

test.each<
  [string, PayingFetchOptions, ((seller: { asks: object[]; isRedirecting: boolean }) => void)?]
>([
  ["to a plan that is not offered", { planId: "44" }],
  ["to fewer credits than it costs", { maxCredits: 0n }],
  ["to a scheme that is not offered", { scheme: "svc:card-delegation" }],
  [
    "and its seller asks for nothing that can be paid",
    {},
    (seller) => {
      seller.asks = [];
    },
  ],
  [
    "and its seller redirects it",
    {},
    (seller) => {
      seller.isRedirecting = true;
    },
  ],
])(
  "a lost call that a plan may pay for is not declined where its repeat is limited %s",
  async (_, limits, change) => {
    const { ask, lose, made, seller } = setUp();
    await lose({ planId: "42" });
    const before = made();
    change?.(seller);
    await expect(ask(limits)).rejects.toMatchObject(UNKNOWN);
    expect(made()).toEqual(before);
  },
);

test.each<[string, PayingFetchOptions]>([
  ["does not allow its seller", { scheme: "exact" }],
  ["allows another scheme only", { scheme: "svc:card-delegation", maxSpend: 1n }],
])("a lost call that exact may pay for is not refused where its repeat %s", async (_, limits) => {
  const { ask, lose, made, seller } = setUp();
  seller.asks = [exactOffer];
  await lose({ maxSpend: 1n });
  const before = made();
  await expect(ask(limits)).rejects.toMatchObject(UNKNOWN);
  expect(made()).toEqual(before);
});
