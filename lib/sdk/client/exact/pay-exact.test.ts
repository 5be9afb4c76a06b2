import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import type { Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { giveTestDollars } from "@/lib/adapters/chain/operator.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { resolveAuthorizations } from "@/lib/domain/exact/resolve-authorizations.ts";
import { getDelegationTotals } from "@/lib/domain/figures/delegation-totals.ts";
import { getHome } from "@/lib/domain/figures/figures.ts";
import { FOREIGN_PATHS } from "@/lib/playground/lab-places.ts";
import {
  createExpressSeller,
  createHonoSeller,
  ownFacilitator,
  stockFacilitator,
} from "@/lib/sandbox/foreign-agents.ts";
import {
  type ChainTestService,
  startChainTestService,
} from "@/lib/server/testing/chain-service.ts";
import { TEST_ORIGIN, type TestParty } from "@/lib/server/testing/test-service.ts";
import { decodeHeader, encodeHeader, PAYMENT_IDENTIFIER } from "../../protocol/x402-headers.ts";
import type { PaymentOptions } from "../connection.ts";
import { Payments } from "../payments.ts";

const PRICE = 10_000n;
const NETWORK = "eip155:84532";
const URL_OF_SELLER = "https://seller.example/quote";
const [store] = ruleStores();

describe("payments.fetch pays sellers by exact", () => {
  let database: Database;
  let service: ChainTestService;
  let sellerParty: TestParty;
  let buyer: TestParty;

  beforeAll(async () => {
    database = await (store as { open: () => Promise<Database> }).open();
    service = await startChainTestService(database);
    sellerParty = await service.party({ isFunded: false });
    buyer = await service.party();
  });
  afterAll(async () => {
    await service.stop();
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const client = (options: Partial<PaymentOptions> = {}) =>
    Payments.getInstance({
      apiKey: buyer.apiKey,
      baseUrl: TEST_ORIGIN,
      fetch: service.fetch,
      maxRetries: 0,
      ...options,
    });
  const newAddress = () => `0x${randomBytes(20).toString("hex")}`;
  const offerTo = (payTo: string, changes: object = {}) => ({
    scheme: "exact",
    network: NETWORK,
    amount: PRICE.toString(),
    asset: service.usdc,
    payTo,
    maxTimeoutSeconds: 60,
    extra: { name: "USDC", version: "2" },
    ...changes,
  });
  const asking = (offers: object[], extensions: object = {}) =>
    new Response("{}", {
      status: 402,
      headers: {
        "payment-required": encodeHeader({
          x402Version: 2,
          resource: { url: URL_OF_SELLER },
          accepts: offers,
          extensions,
        }),
      },
    });
  type Payment = { payload: { signature: Hex; authorization: Record<string, string> } };
  const paymentIn = (request: Request): Payment | null => {
    const header = request.headers.get("payment-signature");
    return header === null ? null : (decodeHeader(header) as Payment);
  };
  /** Captures as a facilitator would, with changes to what was signed. */
  const capture = async ({ payload }: Payment, changes: object = {}) => {
    const { from, to, value, validAfter, validBefore, nonce } = payload.authorization;
    return service.onChain.exact.capture({
      id: String(nonce),
      payer: String(from),
      asset: service.usdc,
      payTo: String(to),
      value: BigInt(value ?? 0),
      validAfter: BigInt(validAfter ?? 0),
      validBefore: BigInt(validBefore ?? 0),
      nonce: String(nonce),
      signature: payload.signature,
      sinceBlock: 0n,
      builder: "",
      ...changes,
    });
  };

  const servers: Server[] = [];
  const listening = async (server: Server): Promise<string> => {
    servers.push(server);
    await new Promise<void>((done) => (server.listening ? done() : server.listen(0, () => done())));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  afterAll(() => {
    for (const server of servers) server.close();
  });
  const facilitators = {
    ours: async () => {
      const door = serve({ fetch: (request) => service.serve(request), port: 0 }) as Server;
      return ownFacilitator(await listening(door), sellerParty.apiKey);
    },
    stock: async () => {
      const key: Hex = `0x${randomBytes(32).toString("hex")}`;
      await service.chain.fund(privateKeyToAccount(key).address, 10n ** 18n);
      return stockFacilitator(service.chain.rpcUrl, key);
    },
  };

  /** What the buyer's pages say of all their payments. */
  const figures = async () => {
    const context = { ...buyer.context, ports: service.ports };
    const [{ subscriber }, { spent30d }] = await Promise.all([
      getHome(context, { includeTest: false }),
      getDelegationTotals(context),
    ]);
    const spent = spent30d.find(({ currency }) => currency === "usdc")?.amount ?? "0";
    return { settled: subscriber.settled24h, has: subscriber.hasSettled, spent: BigInt(spent) };
  };

  test.each([
    ["hono", "ours"],
    ["hono", "stock"],
    ["express", "ours"],
    ["express", "stock"],
  ] as const)(
    "an unmodified %s seller with %s facilitator: paid once, in the timeline",
    async (kind, whose) => {
      const payTo = newAddress();
      const parts = { facilitator: await facilitators[whose](), usdc: service.usdc, payTo };
      const origin = await listening(
        kind === "hono"
          ? (serve({ fetch: createHonoSeller(parts).fetch, port: 0 }) as Server)
          : createServer(createExpressSeller(parts)),
      );
      const had = await service.money(buyer.address);
      const before = await figures();
      const url = `${origin}${FOREIGN_PATHS[kind]}`;
      const { response, payment, agentRequestId, declined } = await client().fetch(
        url,
        {},
        { maxSpend: 1n },
      );
      expect(declined).toBeUndefined();
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ quote: expect.any(String) });
      expect(payment).toMatchObject({ status: "paid", amount: "10000" });
      expect(await service.money(payTo)).toBe(PRICE);
      expect(await service.money(buyer.address)).toBe(had - PRICE);
      const record = await buyer.payments.requests.getRequest(agentRequestId ?? "");
      expect(record).toMatchObject({
        moneyStatus: "settled",
        scheme: "exact",
        path: url,
        paid: { currency: "usdc", value: "0.010000" },
        transaction: payment?.transaction,
      });
      expect(record.seller?.toLowerCase()).toBe(payTo);
      const { items } = await buyer.payments.requests.listRequests({ role: "subscriber" });
      expect(items[0]?.agentRequestId).toBe(agentRequestId);
      expect(await figures()).toEqual({
        settled: before.settled + 1,
        has: true,
        spent: before.spent + PRICE,
      });
    },
  );

  test("a wallet of the caller's own signs instead, and the account pays nothing", async () => {
    const payTo = newAddress();
    const wallet = privateKeyToAccount(`0x${randomBytes(32).toString("hex")}`);
    await giveTestDollars(service.onChain.operator, { account: wallet.address, amount: PRICE });
    const had = await service.money(buyer.address);
    const reach = async (request: Request) => {
      const payment = paymentIn(request);
      if (!payment) return asking([offerTo(payTo)]);
      await capture(payment);
      return Response.json({ done: true });
    };
    const signer = {
      address: wallet.address,
      signTypedData: (typed: never) => wallet.signTypedData(typed),
      assets: { [NETWORK]: service.usdc },
    };
    const options = { fetch: reach, signer, maxSpend: 1n };
    const { response, payment } = await client().fetch(URL_OF_SELLER, {}, options);
    expect(response.status).toBe(200);
    expect(payment?.status).toBe("unknown");
    expect(await service.money(payTo)).toBe(PRICE);
    expect(await service.money(buyer.address)).toBe(had);
  });

  test("a wallet of the caller's own pays once for a key, also when its answer was lost and the call is made again", async () => {
    const payTo = newAddress();
    const wallet = privateKeyToAccount(`0x${randomBytes(32).toString("hex")}`);
    await giveTestDollars(service.onChain.operator, {
      account: wallet.address,
      amount: PRICE * 3n,
    });
    let isLost = true;
    const reach = async (request: Request) => {
      const payment = paymentIn(request);
      if (!payment) return asking([offerTo(payTo)]);
      await capture(payment);
      if (isLost) throw new TypeError("The connection broke off.");
      return Response.json({ done: true });
    };
    const signer = {
      address: wallet.address,
      signTypedData: (typed: never) => wallet.signTypedData(typed),
      assets: { [NETWORK]: service.usdc },
    };
    const pay = (key: string) =>
      client().fetch(
        URL_OF_SELLER,
        { headers: { "idempotency-key": key } },
        { fetch: reach, signer, maxSpend: 1n },
      );
    const key = randomBytes(16).toString("hex");
    await expect(pay(key)).rejects.toMatchObject({ code: "outcome_unknown" });
    isLost = false;
    expect((await pay(key)).response.status).toBe(200);
    expect(await service.money(payTo)).toBe(PRICE);
    await pay(randomBytes(16).toString("hex"));
    expect(await service.money(payTo)).toBe(PRICE * 2n);
  });

  test.each([
    [
      "is asked for again where the seller knows a repeat",
      { [PAYMENT_IDENTIFIER]: { info: {} } },
      200,
    ],
    ["counts once against a limit, also when the call is made again", {}, 504],
  ])("a payment whose answer a proxy did not wait for %s", async (_, extensions, status) => {
    const payTo = newAddress();
    const payments = client({ maxSpend: { perSeller: 1n } });
    let count = 0;
    const reach = async (request: Request) => {
      const payment = paymentIn(request);
      if (!payment) return asking([offerTo(payTo)], extensions);
      count += 1;
      if (count === 1) return new Response("Gateway Timeout", { status: 504 });
      await capture(payment);
      return Response.json({ done: true });
    };
    const init = { headers: { "idempotency-key": randomBytes(16).toString("hex") } };
    const pay = () => payments.fetch(URL_OF_SELLER, init, { fetch: reach, maxSpend: 1n });
    expect((await pay()).response.status).toBe(status);
    if (status === 504) expect((await pay()).response.status).toBe(200);
    expect(await service.money(payTo)).toBe(PRICE);
    expect(count).toBe(2);
  });

  describe("caps", () => {
    /** A seller that captures every authorization it gets. */
    const honest =
      (payTo: string, offer: object = {}) =>
      async (request: Request) => {
        const payment = paymentIn(request);
        if (!payment) return asking([offerTo(payTo, offer)]);
        await capture(payment);
        return Response.json({ done: true });
      };
    const pay = (payments: Payments, payTo: string, options: object = {}) =>
      payments.fetch(URL_OF_SELLER, {}, { fetch: honest(payTo), ...options });

    test("nothing is signed without an allowance, or above the call's maximum", async () => {
      const payTo = newAddress();
      const refused = { code: "spending_not_allowed" };
      await expect(pay(client(), payTo)).rejects.toMatchObject(refused);
      await expect(pay(client({ maxSpend: { perDay: 100n } }), payTo)).rejects.toMatchObject(
        refused,
      );
      const dear = honest(payTo, { amount: "10001" });
      await expect(
        client().fetch(URL_OF_SELLER, {}, { fetch: dear, maxSpend: 1n }),
      ).rejects.toMatchObject(refused);
      expect(await service.money(payTo)).toBe(0n);
    });

    test("ten calls at once stay within the day and the seller's limit", async () => {
      const sellers = [newAddress(), newAddress()];
      // The day's limit is the account's: what its other processes spent counts.
      const { apiKey } = await service.party();
      const payments = client({ apiKey, maxSpend: { perDay: 5n, perSeller: 3n } });
      const calls = Array.from({ length: 10 }, (_, index) => {
        const payTo = sellers[index % 2] ?? "";
        return pay(payments, payTo, { allowSellers: sellers }).catch((error) => error.code);
      });
      const answers = await Promise.all(calls);
      expect(answers.filter((answer) => answer === "spending_not_allowed")).toHaveLength(5);
      const sums = await Promise.all(sellers.map(service.money));
      expect(sums.reduce((sum, each) => sum + each, 0n)).toBe(PRICE * 5n);
      expect(sums.every((sum) => sum <= PRICE * 3n)).toBe(true);
    });

    test("the service holds the delegation's limit whatever a client says", async () => {
      const { delegationId } = await buyer.payments.delegation.createDelegation({
        provider: "erc4337",
        spendingLimitCents: 2n,
        durationSecs: 3600,
      });
      const create = (limits: object = {}) =>
        buyer.payments.x402.createAuthorization({
          idempotencyKey: randomBytes(16).toString("hex"),
          offer: offerTo(newAddress()),
          resource: URL_OF_SELLER,
          delegationConfig: { delegationId, ...limits },
        });
      await expect(create({ spendingLimitCents: 1n })).rejects.toMatchObject({
        code: "invalid_input",
        details: [{ path: "delegationConfig.spendingLimitCents" }],
      });
      const answers = await Promise.allSettled(Array.from({ length: 8 }, () => create()));
      expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    });

    test("limits of a call narrow what the API key's own delegation allows", async () => {
      const { apiKey } = await buyer.payments.apiKeys.createApiKey({
        name: "worker",
        rootLimit: { spendingLimitCents: 500n, durationSecs: 3600 },
      });
      const worker = Payments.getInstance({
        apiKey,
        baseUrl: TEST_ORIGIN,
        fetch: service.fetch,
      });
      const create = (delegationConfig?: object) =>
        worker.x402.createAuthorization({
          idempotencyKey: randomBytes(16).toString("hex"),
          offer: { ...offerTo(newAddress()), amount: String(PRICE * 3n) },
          resource: URL_OF_SELLER,
          ...(delegationConfig && { delegationConfig }),
        });
      await expect(create({ spendingLimitCents: 2n })).rejects.toMatchObject({
        code: "payment_refused",
      });
      await expect(create({ maxTransactions: 1 })).rejects.toMatchObject({ code: "invalid_input" });
      await expect(create({ spendingLimitCents: 3n })).resolves.toMatchObject({ status: "open" });
      await expect(create()).resolves.toMatchObject({ status: "open" });
    });

    test("more than the account has is not signed, also at once", async () => {
      const poor = await service.party({ isFunded: false });
      await giveTestDollars(service.onChain.operator, {
        account: poor.address as Hex,
        amount: PRICE * 3n,
      });
      const create = () =>
        poor.payments.x402.createAuthorization({
          idempotencyKey: randomBytes(16).toString("hex"),
          offer: offerTo(newAddress()),
          resource: URL_OF_SELLER,
        });
      const answers = await Promise.allSettled(Array.from({ length: 8 }, create));
      expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    });
  });

  test("the same key answers the same authorization, from any replica, and refuses another payment", async () => {
    const payTo = newAddress();
    const idempotencyKey = randomBytes(16).toString("hex");
    const input = { idempotencyKey, offer: offerTo(payTo), resource: URL_OF_SELLER };
    const create = () => buyer.payments.x402.createAuthorization(input);
    const answers = await Promise.all([create(), create(), create()]);
    await service.restart();
    answers.push(await create());
    expect(new Set(answers.map(({ payload }) => payload.signature)).size).toBe(1);
    const other = { ...input, offer: offerTo(payTo, { amount: "20000" }) };
    await expect(buyer.payments.x402.createAuthorization(other)).rejects.toMatchObject({
      code: "idempotency_conflict",
    });
  });

  test("an authorization that expires unused gives its reservations back", async () => {
    const party = await service.party();
    const create = (maxTimeoutSeconds: number) =>
      party.payments.x402.createAuthorization({
        idempotencyKey: randomBytes(16).toString("hex"),
        offer: offerTo(newAddress(), { maxTimeoutSeconds }),
        resource: URL_OF_SELLER,
        delegationConfig: { spendingLimitCents: 5n },
      });
    const { delegationId, authorizationId } = await create(10);
    const delegation = () => party.payments.delegation.getDelegation(delegationId);
    expect(await delegation()).toMatchObject({ amountReservedCents: 1n, transactionCount: 1 });
    await service.advanceChain(11);
    await service.ports.clock.advance(60);
    await resolveAuthorizations(service.ports);
    expect(await delegation()).toMatchObject({
      amountReservedCents: 0n,
      amountSpentCents: 0n,
      transactionCount: 0,
    });
    expect(await party.payments.requests.getRequest(authorizationId)).toMatchObject({
      moneyStatus: "not-charged",
      cause: "authorization_expired",
    });
  });

  test("a call that was refused pays under its key once its authorization has expired unused", async () => {
    const payTo = newAddress();
    const init = { headers: { "idempotency-key": randomBytes(16).toString("hex") } };
    const nonces: unknown[] = [];
    let refusals = 2;
    const reach = async (request: Request) => {
      const payment = paymentIn(request);
      if (!payment) return asking([offerTo(payTo, { maxTimeoutSeconds: 10 })]);
      nonces.push(payment.payload.authorization.nonce);
      if (refusals-- > 0) return asking([offerTo(payTo)]);
      await capture(payment);
      return Response.json({ done: true });
    };
    // Each in another process.
    const pay = async () => {
      const options = { fetch: reach, maxSpend: 1n };
      return (await client().fetch(URL_OF_SELLER, init, options)).response.status;
    };
    expect([await pay(), await pay()]).toEqual([402, 402]);
    await service.advanceChain(11);
    expect([await pay(), await pay()]).toEqual([200, 200]);
    const [refused, again, paid, repeated] = nonces;
    expect([again, repeated]).toEqual([refused, paid]);
    expect(paid).not.toBe(refused);
    expect(await service.money(payTo)).toBe(PRICE);
  });

  test.each<[string, object]>([
    ["another network", { network: "eip155:1" }],
    ["another token", { asset: `0x${"77".repeat(20)}` }],
    ["no recipient", { payTo: `0x${"00".repeat(20)}` }],
    ["Permit2", { extra: { assetTransferMethod: "permit2" } }],
    ["a negative amount", { amount: "-5" }],
  ])("an offer with %s is not signed", async (_, changes) => {
    const create = buyer.payments.x402.createAuthorization({
      idempotencyKey: randomBytes(16).toString("hex"),
      offer: offerTo(newAddress(), changes),
      resource: URL_OF_SELLER,
    });
    await expect(create).rejects.toMatchObject({ code: "invalid_input" });
  });

  describe("hostile sellers", () => {
    type Hostile = (request: Request, payment: Payment, payTo: string) => Promise<Response>;
    const taken = (payment: Payment) => capture(payment);
    const elsewhere = newAddress();
    const receipt = (fields: object) => ({ "payment-response": encodeHeader(fields) });
    const lost = async () => {
      throw new TypeError("fetch failed");
    };
    /** What it does with the payment; what the caller is told; how much left the account. */
    const hostile: [string, Hostile, RegExp | "answer", bigint][] = [
      [
        "says no after it captured",
        async (_, payment, payTo) => {
          await taken(payment);
          return asking([offerTo(payTo)]);
        },
        /captured 0.01 USDC in transaction 0x/,
        PRICE,
      ],
      ["never answers", lost, /answer was lost.*can until/, 0n],
      [
        "captures, and its answer is lost, twice",
        async (_, payment) => {
          await taken(payment);
          return lost();
        },
        /captured 0.01 USDC in transaction 0x/,
        PRICE,
      ],
      [
        "captures twice and answers",
        async (_, payment) => {
          await Promise.all([taken(payment), taken(payment)]);
          await taken(payment);
          return Response.json({ done: true });
        },
        "answer",
        PRICE,
      ],
      [
        "captures another amount",
        async (_, payment, payTo) => {
          await capture(payment, { value: 900_000n });
          return asking([offerTo(payTo, { amount: "900000" })]);
        },
        /has not captured the 0.01 USDC, and can until/,
        0n,
      ],
      [
        "captures to another recipient",
        async (_, payment, payTo) => {
          await capture(payment, { payTo: elsewhere });
          return asking([offerTo(payTo)]);
        },
        /has not captured/,
        0n,
      ],
      [
        "answers 500 after it captured",
        async (_, payment) => {
          await taken(payment);
          return new Response("broken", { status: 500 });
        },
        "answer",
        PRICE,
      ],
      [
        "answers garbage",
        async () =>
          new Response("\u0000\u0001{", {
            status: 402,
            headers: { "payment-required": "%%%", ...receipt({ success: "maybe" }) },
          }),
        /refused the payment. It has not captured/,
        0n,
      ],
      [
        "claims a settlement that never was",
        async () =>
          Response.json(
            { done: true },
            { headers: receipt({ success: true, transaction: `0x${"ab".repeat(32)}` }) },
          ),
        "answer",
        0n,
      ],
    ];
    test.each(hostile)(
      "a seller that %s is paid at most once, and the caller told the truth",
      async (_, act, told, leaves) => {
        const payTo = newAddress();
        const had = await service.money(buyer.address);
        const seen = new Set<string>();
        const reach = async (request: Request) => {
          const payment = paymentIn(request);
          if (!payment) return asking([offerTo(payTo)]);
          seen.add(payment.payload.signature);
          return act(request, payment, payTo);
        };
        const init = { headers: { "Idempotency-Key": randomBytes(16).toString("hex") } };
        const call = () =>
          client()
            .fetch(URL_OF_SELLER, init, { fetch: reach, maxSpend: 1n })
            .catch((error: Error & { code: string }) => ({ error }));
        const first = await call();
        const text = "error" in first ? first.error.message : first.declined;
        if (told === "answer") {
          expect(first).toMatchObject({ payment: { status: leaves === 0n ? "open" : "paid" } });
          expect(text).toBeUndefined();
        } else expect(text).toMatch(told);
        // The caller tries again, as often as it likes, with the same key.
        await call();
        await call();
        expect(had - (await service.money(buyer.address))).toBe(leaves);
        expect(await service.money(payTo)).toBe(leaves);
        expect(await service.money(elsewhere)).toBe(0n);
        expect(seen.size).toBe(1);
      },
    );
  });
});
