import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { decodeHeader, encodeHeader, PAYMENT_IDENTIFIER } from "../../protocol/x402-headers.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  SUBSCRIBER,
} from "../../test-support/fake-service.ts";
import { Payments } from "../payments.ts";

const USDC = `0x${"12".repeat(20)}`;

/**
 * A buyer whose limit is one payment to this seller, who gives these answers to payments, or breaks off, and then serves; the
 * offer takes payments that are signed for so long.
 */
function setUp(answers: Iterator<Response | Error, void>, maxTimeoutSeconds: number | null = 300) {
  const signTypedData = vi.fn(async () => `0x${"1b".repeat(65)}`);
  const signer = { address: SUBSCRIBER, signTypedData, assets: { "eip155:84532": USDC } };
  const offer = {
    ...{ scheme: "exact", network: "eip155:84532", amount: "10000", asset: USDC, payTo: BUILDER },
    ...{ maxTimeoutSeconds: maxTimeoutSeconds ?? undefined },
    extra: { name: "USDC", version: "2" },
  };
  const payments = Payments.getInstance({
    apiKey: apiKeyOf(SUBSCRIBER),
    fetch: createFakeService().fetch,
    maxSpend: { perSeller: 1n },
  });
  const required = encodeHeader({
    x402Version: 2,
    accepts: [offer],
    extensions: { [PAYMENT_IDENTIFIER]: { info: {} } },
  });
  const signed: unknown[] = [];
  const fetch = async ({ headers }: Request) => {
    const header = headers.get("payment-signature");
    if (header === null) {
      return new Response("{}", { status: 402, headers: { "payment-required": required } });
    }
    signed.push((decodeHeader(header) as { payload: unknown }).payload);
    const { value } = answers.next();
    if (value instanceof Error) throw value;
    return value ?? new Response("done");
  };
  const pay = async (key: string, method = "GET") => {
    const init = { method, headers: { "idempotency-key": key } };
    const options = { fetch, signer, maxSpend: 1n };
    return (await payments.fetch("https://seller.example/q", init, options)).response.status;
  };
  return { pay, signed, signTypedData };
}

const ofProxy = (status: number) => new Response("of a proxy", { status });
const broken = () => new TypeError("The connection broke off.");

test.each<[string, () => (Response | Error)[], unknown]>([
  ["answered", () => [new Response("done")], 200],
  ["refused", () => [ofProxy(402)], 402],
  ["failed", () => [ofProxy(500)], 500],
  ["lost, and then limited by a firewall", () => [ofProxy(504), ofProxy(403)], 504],
  ["lost, and then failed", () => [ofProxy(504), ofProxy(500)], 504],
  ["lost, and then refused", () => [ofProxy(504), ofProxy(402)], 504],
  [
    "lost, and then met a busy gate",
    () => [ofProxy(504), Response.json({ code: "unavailable" }, { status: 503 })],
    504,
  ],
  ["broken off, and then refused", () => [broken(), ofProxy(402)], "outcome_unknown"],
])("a call that was %s counts once when it is made again", async (_, answers, first) => {
  const { pay, signed } = setUp(answers().values());
  expect(await pay("key-1").catch(({ code }) => code)).toBe(first);
  expect(await pay("key-1")).toBe(200);
  const [own] = signed;
  expect(signed).toEqual(signed.map(() => own));
});

test("a call that was broken off, and then refused, fails with what was signed and what its repeat said", async () => {
  const refused = Response.json({ error: "insufficient_funds" }, { status: 402 });
  const { pay } = setUp([broken(), refused].values());
  await expect(pay("key-1")).rejects.toMatchObject({
    message: expect.stringMatching(
      / 402: insufficient_funds\. It may have captured the 0\.01 USDC/,
    ),
    hint: expect.stringContaining("this process never pays twice"),
    payment: { amount: "10000", seller: BUILDER, status: "unknown" },
  });
});

test.each([
  ["another key", "key-2", "GET"],
  ["another method", "key-1", "POST"],
])("a call with %s is another one, and counts", async (_, key, method) => {
  const { pay, signed } = setUp([].values());
  expect(await pay("key-1")).toBe(200);
  await expect(pay(key, method)).rejects.toMatchObject({ code: "spending_not_allowed" });
  expect(signed).toHaveLength(1);
});

type Signed = { authorization: { nonce: string; validBefore: string } };
const authorizationsOf = (signed: unknown[]) =>
  (signed as Signed[]).map(({ authorization }) => authorization);

describe("a wallet whose seller fails the first time", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
  afterEach(() => void vi.useRealTimers());

  test.each([300, null])(
    "signs a call again that is about to expire, under the same nonce and limit, where the offer takes %s seconds",
    async (secs) => {
      const { pay, signed } = setUp([ofProxy(500)].values(), secs);
      expect(await pay("aging-call-0001")).toBe(500);
      vi.setSystemTime(Date.now() + 280_000);
      expect(await pay("aging-call-0001")).toBe(200);
      const [first, second] = authorizationsOf(signed);
      expect(second?.nonce).toBe(first?.nonce);
      expect(Number(second?.validBefore) - Number(first?.validBefore)).toBe(280);
    },
  );

  test.each([10, 300, 600, 3600, null])(
    "is asked once, also by a repeat with most of its time left, where the offer takes %s seconds",
    async (secs) => {
      const { pay, signed, signTypedData } = setUp([ofProxy(500)].values(), secs);
      expect(await pay("young-call-0001")).toBe(500);
      vi.setSystemTime(Date.now() + 4_000);
      expect(await pay("young-call-0001")).toBe(200);
      expect(signTypedData).toHaveBeenCalledTimes(1);
      expect(signed[1]).toEqual(signed[0]);
    },
  );

  test("pays with what it has signed when it refuses to sign again", async () => {
    const { pay, signed, signTypedData } = setUp([ofProxy(500)].values());
    expect(await pay("aging-call-0001")).toBe(500);
    vi.setSystemTime(Date.now() + 160_000);
    signTypedData.mockRejectedValueOnce(new Error("User rejected the request."));
    expect(await pay("aging-call-0001")).toBe(200);
    expect(signed[1]).toEqual(signed[0]);
  });

  test("tells why it was not signed again once what it has signed is over", async () => {
    const { pay, signed, signTypedData } = setUp([ofProxy(500)].values());
    expect(await pay("aging-call-0001")).toBe(500);
    vi.setSystemTime(Date.now() + 160_000);
    signTypedData.mockImplementationOnce(async () => {
      vi.setSystemTime(Date.now() + 150_000);
      throw new Error("User rejected the request.");
    });
    await expect(pay("aging-call-0001")).rejects.toThrow("User rejected the request.");
    expect(signed).toHaveLength(1);
  });
});
