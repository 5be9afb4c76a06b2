import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import {
  createTestService,
  TEST_ORIGIN,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import type { ForeignOffer } from "../../protocol/exact/foreign-offer.ts";
import { encodeHeader } from "../../protocol/x402-headers.ts";
import { Payments } from "../payments.ts";

const [store] = ruleStores();
const QUOTE = "https://seller.example/quote";

describe("calls by exact under one Idempotency-Key", () => {
  let database: Database;
  let service: TestService;

  beforeAll(async () => {
    database = await (store as { open: () => Promise<Database> }).open();
    service = createTestService(database);
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  /** One account, whose processes pay what the seller asks for. */
  async function setUp() {
    const { apiKey } = await service.party();
    const { asset, network } = service.ports.exact as { asset: string; network: string };
    const payTo = `0x${randomBytes(20).toString("hex")}`;
    const offerOf = (cents: bigint): ForeignOffer => ({
      ...{ scheme: "exact", network, amount: `${cents * 10_000n}`, asset, payTo },
      ...{ maxTimeoutSeconds: 60, extra: { name: "USDC", version: "2" } },
    });
    const start = () =>
      Payments.getInstance({ apiKey, baseUrl: TEST_ORIGIN, fetch: service.fetch });
    /** The authorization that a new process sends for a call. */
    const pay = async (url: string, key: string, method = "POST", cents = 60n) => {
      const required = encodeHeader({ x402Version: 2, accepts: [offerOf(cents)] });
      const fetch = async ({ headers }: Request) =>
        headers.has("payment-signature")
          ? new Response("done")
          : new Response("{}", { status: 402, headers: { "payment-required": required } });
      const init = { method, headers: { "idempotency-key": key } };
      const { payment } = await start().fetch(url, init, { fetch, maxSpend: 100n });
      return payment?.authorizationId ?? "";
    };
    return { start, pay, offerOf };
  }

  test("each call is paid by its own authorization, however often it is made", async () => {
    const { pay } = await setUp();
    const calls: Parameters<typeof pay>[] = [
      [QUOTE, "order-17"],
      ["https://seller.example/ship", "order-17"],
      [QUOTE, "order-17", "PUT"],
      [QUOTE, "order-18"],
    ];
    const sent: string[] = [];
    for (const call of [...calls, ...calls]) sent.push(await pay(...call));
    expect(new Set(sent).size).toBe(calls.length);
    expect(sent.slice(calls.length)).toEqual(sent.slice(0, calls.length));
  });

  test("a call that its seller prices anew is not paid twice", async () => {
    const { pay } = await setUp();
    await pay(QUOTE, "order-17");
    await expect(pay(QUOTE, "order-17", "POST", 50n)).rejects.toMatchObject({
      code: "idempotency_conflict",
    });
  });

  test("a call that an earlier release signed is not paid twice, and another one is paid", async () => {
    const { start, pay, offerOf } = await setUp();
    const asked = { idempotencyKey: "order-17", offer: offerOf(60n), resource: QUOTE };
    const { authorizationId } = await start().x402.createAuthorization(asked);
    expect(await pay("https://seller.example/ship", "order-17")).not.toBe(authorizationId);
    expect(await pay(QUOTE, "order-17")).toBe(authorizationId);
    await expect(pay(QUOTE, "order-17", "POST", 50n)).rejects.toMatchObject({
      code: "idempotency_conflict",
    });
  });
});
