import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import {
  createTestService,
  TEST_ORIGIN,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { decodeHeader, encodeHeader } from "../../protocol/x402-headers.ts";
import type { PaymentOptions } from "../connection.ts";
import { Payments } from "../payments.ts";
import { createSpendStore } from "../spending/spend-store.ts";
import type { Authorized, ExactSigner } from "./exact-types.ts";

const [store] = ruleStores();
const NOT_ALLOWED = { code: "spending_not_allowed" };

type How = {
  key?: string;
  isLost?: boolean;
  before?: bigint[];
  /** Signs instead of the account, on this network. */
  wallet?: ExactSigner & { network: string };
};

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
    const sent: { cents: bigint; nonce: string }[] = [];
    const start = (options: Partial<PaymentOptions>) => {
      const payments = Payments.getInstance({
        apiKey,
        baseUrl: TEST_ORIGIN,
        fetch: service.fetch,
        ...options,
      });
      return async (
        cents: bigint,
        payTo = newSeller(),
        { key, isLost, before = [], wallet }: How = {},
      ) => {
        const accepts = [...before, cents].map((each) => ({
          ...{ scheme: "exact", network, amount: `${each * 10_000n}`, asset, payTo },
          ...(wallet && { network: wallet.network }),
          ...{ maxTimeoutSeconds: 60, extra: { name: "USDC", version: "2" } },
        }));
        const fetch = async ({ headers }: Request) => {
          const header = headers.get("payment-signature");
          if (header !== null) {
            const { payload } = decodeHeader(header) as { payload: Authorized["payload"] };
            const { nonce = "", value = "" } = payload.authorization;
            sent.push({ cents: BigInt(value) / 10_000n, nonce });
            if (isLost) throw new TypeError("The connection broke off.");
            return new Response("done");
          }
          const required = encodeHeader({ x402Version: 2, accepts });
          return new Response("{}", { status: 402, headers: { "payment-required": required } });
        };
        const url = "https://seller.example/quote";
        const init = key ? { headers: { "idempotency-key": key } } : {};
        const signer = wallet && { ...wallet, assets: { [wallet.network]: asset } };
        const paying = { fetch, maxSpend: 100n, ...(signer && { signer }) };
        const { response } = await payments.fetch(url, init, paying);
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
    expect(sent.map(({ cents }) => cents)).toEqual([60n, 40n]);
  });

  test("the first offer within the limits is paid, also after more expensive ones", async () => {
    const { start, sent } = await setUp();
    const pay = start({});
    expect(await pay(5n, newSeller(), { before: [500n, 101n] })).toBe(200);
    expect(sent.map(({ cents }) => cents)).toEqual([5n]);
    const limited = start({ maxSpend: { perCall: 4n } });
    await expect(limited(5n, newSeller(), { before: [500n] })).rejects.toMatchObject({
      ...NOT_ALLOWED,
      message: expect.stringContaining("costs 5.00"),
    });
    expect(sent).toHaveLength(1);
  });

  test("a call whose answer was lost is made again within the limits that it counts against once", async () => {
    const { start, sent } = await setUp();
    const pay = start({ maxSpend: { perDay: 100n, perSeller: 70n } });
    const [payTo, key] = [newSeller(), randomBytes(16).toString("hex")];
    await expect(pay(60n, payTo, { key, isLost: true })).rejects.toMatchObject({
      code: "outcome_unknown",
    });
    expect(await pay(60n, payTo, { key })).toBe(200);
    expect(new Set(sent.map(({ nonce }) => nonce)).size).toBe(1);
    expect(await pay(40n)).toBe(200);
    await expect(pay(1n)).rejects.toMatchObject(NOT_ALLOWED);
  });

  test("a call that another process makes again counts once", async () => {
    const spendStore = createSpendStore();
    const limits = [
      { maxSpend: { perDay: 100n } },
      { maxSpend: { perDay: 100n }, spendStore },
      { maxSpend: { perSeller: 100n }, spendStore: createSpendStore() },
    ];
    for (const options of limits) {
      const [payTo, key] = [newSeller(), randomBytes(16).toString("hex")];
      const { start, sent } = await setUp();
      await expect(start(options)(60n, payTo, { key, isLost: true })).rejects.toMatchObject({
        code: "outcome_unknown",
      });
      expect(await start(options)(60n, payTo, { key })).toBe(200);
      expect(new Set(sent.map(({ nonce }) => nonce)).size).toBe(1);
      const other = start(options);
      expect(await other(40n, payTo)).toBe(200);
      await expect(other(1n, payTo)).rejects.toMatchObject(NOT_ALLOWED);
    }
  });

  test("a call that is made again at another price counts anew", async () => {
    const { start } = await setUp();
    const options = { maxSpend: { perSeller: 100n }, spendStore: createSpendStore() };
    const [payTo, key] = [newSeller(), randomBytes(16).toString("hex")];
    expect(await start(options)(60n, payTo, { key })).toBe(200);
    await expect(start(options)(50n, payTo, { key })).rejects.toMatchObject(NOT_ALLOWED);
  });

  test("a wallet's call that is made again on another network counts anew, because both can be captured", async () => {
    const { start } = await setUp();
    const options = { maxSpend: { perDay: 100n }, spendStore: createSpendStore() };
    const [payTo, key] = [newSeller(), randomBytes(16).toString("hex")];
    const signer = { address: newSeller(), signTypedData: async () => `0x${"11".repeat(65)}` };
    const on = (network: string) =>
      start(options)(60n, payTo, { key, wallet: { ...signer, network } });
    expect(await on("eip155:8453")).toBe(200);
    expect(await on("eip155:8453")).toBe(200);
    await expect(on("eip155:137")).rejects.toMatchObject(NOT_ALLOWED);
  });

  test("a call whose authorization was signed and never received is paid by the next one under its key", async () => {
    const { start, sent } = await setUp();
    let isLost = true;
    const fetch = async (...asked: Parameters<typeof globalThis.fetch>) => {
      const { method } = new Request(...asked);
      const answer = await service.fetch(new Request(...asked));
      if (isLost && method === "POST") throw new TypeError("The connection broke off.");
      return answer;
    };
    const pay = start({ fetch, maxSpend: { perDay: 100n }, maxRetries: 0 });
    const [payTo, key] = [newSeller(), randomBytes(16).toString("hex")];
    await expect(pay(60n, payTo, { key })).rejects.toMatchObject({ code: "network_error" });
    isLost = false;
    expect(await pay(60n, payTo, { key })).toBe(200);
    expect(sent).toHaveLength(1);
    await expect(pay(60n)).rejects.toMatchObject(NOT_ALLOWED);
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
    // A process that saw the other's payment before it signed is refused, and asks for no signature.
    const calls = [1, 2].map(
      () => [newSeller(), { key: randomBytes(16).toString("hex") }] as const,
    );
    const all = await Promise.allSettled(
      calls.map((call) => start(options)(60n, ...call).finally(release)),
    );
    const refused = all.flatMap((each) => (each.status === "rejected" ? [each.reason.code] : []));
    // Both see the other's payment, unless one was refused and gave its own up before the other looked.
    expect(refused.length).toBeGreaterThan(0);
    expect(new Set(refused)).toEqual(new Set(["spending_not_allowed"]));
    expect(sent).toHaveLength(all.length - refused.length);
    // Called again, too, one of them at most is paid.
    for (const call of calls) await start(options)(60n, ...call).catch(() => {});
    expect(new Set(sent.map(({ nonce }) => nonce)).size).toBeLessThanOrEqual(1);
  });

  test("a seller who spells their address in another way has the same limit", async () => {
    const { start, sent } = await setUp();
    const pay = start({ maxSpend: { perSeller: 100n } });
    const seller = newSeller();
    expect(await pay(60n, seller)).toBe(200);
    const shouted = `0x${seller.slice(2).toUpperCase()}`;
    await expect(pay(60n, shouted)).rejects.toMatchObject(NOT_ALLOWED);
    expect(await pay(40n, shouted)).toBe(200);
    expect(sent.map(({ cents }) => cents)).toEqual([60n, 40n]);
  });
});
