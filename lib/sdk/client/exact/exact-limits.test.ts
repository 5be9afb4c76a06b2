import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import {
  createTestService,
  TEST_ORIGIN,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { encodeHeader } from "../../protocol/x402-headers.ts";
import type { PaymentOptions } from "../connection.ts";
import { Payments } from "../payments.ts";

const [store] = ruleStores();
const NOT_ALLOWED = { code: "spending_not_allowed" };

describe("the limits of an instance on payments by exact", () => {
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

  const newSeller = () => `0x${randomBytes(20).toString("hex")}`;

  /** Processes of one buyer, and sellers who note each payment they are sent. */
  async function setUp() {
    const { apiKey } = await service.party();
    const { asset, network } = service.ports.exact as { asset: string; network: string };
    const sent: bigint[] = [];
    const start = (options: Partial<PaymentOptions>) => {
      const payments = Payments.getInstance({
        apiKey,
        baseUrl: TEST_ORIGIN,
        fetch: service.fetch,
        ...options,
      });
      return async (cents: bigint, payTo = newSeller()) => {
        const amount = `${cents * 10_000n}`;
        const offer = { scheme: "exact", network, amount, asset, payTo, maxTimeoutSeconds: 60 };
        const accepts = [{ ...offer, extra: { name: "USDC", version: "2" } }];
        const fetch = async ({ headers }: Request) => {
          if (headers.has("payment-signature")) {
            sent.push(cents);
            return new Response("done");
          }
          const required = encodeHeader({ x402Version: 2, accepts });
          return new Response("{}", { status: 402, headers: { "payment-required": required } });
        };
        const url = "https://seller.example/quote";
        const { response } = await payments.fetch(url, {}, { fetch, maxSpend: 100n });
        return response.status;
      };
    };
    return { start, sent };
  }

  test("the first payment of a day may be more than half of the day's limit, and counts", async () => {
    const { start, sent } = await setUp();
    const maxSpend = { perDay: 100n };
    const pay = start({ maxSpend });
    expect(await pay(60n)).toBe(200);
    await expect(pay(60n)).rejects.toMatchObject(NOT_ALLOWED);
    const other = start({ maxSpend });
    await expect(other(60n)).rejects.toMatchObject({
      ...NOT_ALLOWED,
      message: expect.stringContaining("60 cents"),
    });
    expect(await other(40n)).toBe(200);
    await expect(other(1n)).rejects.toMatchObject(NOT_ALLOWED);
    expect(sent).toEqual([60n, 40n]);
  });

  test("processes whose first payments are signed at the same moment stay within the day's limit", async () => {
    const { start, sent } = await setUp();
    let signing = 0;
    let release = () => {};
    const both = new Promise<void>((resolve) => {
      release = resolve;
    });
    const together: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      if (request.method !== "POST") return service.fetch(request);
      const response = await service.fetch(request);
      signing += 1;
      if (signing === 2) release();
      await both;
      return response;
    };
    const options = { fetch: together, maxSpend: { perDay: 100n } };
    const all = await Promise.allSettled([start(options)(60n), start(options)(60n)]);
    expect(all.map((each) => each.status === "rejected" && each.reason.code)).toEqual([
      "spending_not_allowed",
      "spending_not_allowed",
    ]);
    expect(sent).toEqual([]);
  });

  test("a seller who spells their address in another way has the same limit", async () => {
    const { start, sent } = await setUp();
    const pay = start({ maxSpend: { perSeller: 100n } });
    const seller = newSeller();
    expect(await pay(60n, seller)).toBe(200);
    const shouted = `0x${seller.slice(2).toUpperCase()}`;
    await expect(pay(60n, shouted)).rejects.toMatchObject(NOT_ALLOWED);
    expect(await pay(40n, shouted)).toBe(200);
    expect(sent).toEqual([60n, 40n]);
  });
});
