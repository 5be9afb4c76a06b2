import { randomBytes } from "node:crypto";
import { Payments } from "@turnpike/payments";
import { createGate, createMemoryQueue } from "@turnpike/payments/gate";
import {
  decodePaymentRequired,
  EXACT,
  encodeHeader,
  getCryptoPriceConfig,
  getFixedCreditsConfig,
  isExactOffer,
} from "@turnpike/payments/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import {
  createPretendRail,
  pretendExact,
  testDeployment,
} from "@/lib/server/testing/pretend-rail.ts";
import {
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

import { resolveOrders } from "../orders/resolve-orders.ts";

const PRICE = 1_000_000n;
const URL_OF_ROUTE = "https://agent.test/ask";
const BODY = JSON.stringify({ question: "one" });
const fresh = (bytes: number) => `0x${randomBytes(bytes).toString("hex")}`;
const shouted = (hex: string) => `0x${hex.slice(2).toUpperCase()}`;

/** Payments whose capture became public before their answer was delivered. The chain is pretended. */
describe.each(ruleStores())("withheld answers to payments by exact on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let builder: TestParty;
  const rail = { ...createPretendRail(), scheme: EXACT, takes: () => false };
  const unused = { fault: null, balance: PRICE, block: 1n, gas: 0, runsCode: false };
  const used = { ...unused, fault: "authorization_used" as const };
  const check = vi.fn(async (): Promise<typeof unused | typeof used> => unused);
  const echo = async (request: Request) => new Response(await request.text());
  const work = vi.fn(echo);

  beforeAll(async () => {
    database = await open();
    const exact = { ...pretendExact(), check };
    service = createTestService(database, { rails: [createPretendRail(), rail], exact });
    builder = await service.party();
  });
  afterEach(() => {
    vi.restoreAllMocks();
    check.mockReset().mockResolvedValue(unused);
    work.mockReset().mockImplementation(echo);
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  async function shop() {
    const { planId } = await builder.payments.plans.registerCreditsPlan(
      { name: "By wallet" },
      {
        ...getCryptoPriceConfig(PRICE, builder.address, testDeployment().usdc ?? ""),
        currency: "USDC",
      },
      getFixedCreditsConfig(1n),
    );
    const openGate = () => {
      const gate = createGate(
        builder.payments,
        { "POST /ask": { planId, exact: true } },
        { queue: createMemoryQueue(), report: false, logger: { error: () => {} } as never },
      );
      return (headers: Record<string, string>, body = BODY) =>
        gate(
          new Request(URL_OF_ROUTE, {
            ...{ method: "POST", body },
            // As every server passes it on.
            headers: { ...headers, "content-length": String(body.length) },
          }),
          work as never,
        );
    };
    type Gate = ReturnType<typeof openGate>;
    const authorization = {
      from: fresh(20),
      to: builder.address,
      value: `${PRICE}`,
      validAfter: "0",
      validBefore: "99999999999",
      nonce: fresh(32),
    };
    const payload = { signature: fresh(65), authorization };
    /** The payment as a stock client of x402 sends it: with the offer of the 402 that it was asked by. */
    const challenge = async (gate: Gate) =>
      decodePaymentRequired((await gate({})).headers.get("payment-required") ?? "");
    const sign = async (gate: Gate, changed: object = {}) => {
      const accepted = (await challenge(gate))?.accepts.find(isExactOffer);
      const sent = { ...payload, authorization: { ...authorization, ...changed } };
      return { "payment-signature": encodeHeader({ x402Version: 2, accepted, payload: sent }) };
    };
    /** What others send who read the payment on chain and know what its wallet asks. */
    const steal = async (gate: Gate) => {
      const { from, nonce } = authorization;
      const spellings = [{}, { from: shouted(from) }, { nonce: shouted(nonce) }];
      const headers = await Promise.all(spellings.map((spelling) => sign(gate, spelling)));
      const named = headers.map((own) => ({ ...own, "idempotency-key": fresh(16) }));
      const asked = [...headers, ...named].map(async (own) => (await gate(own)).status);
      return Promise.all(asked);
    };
    return { planId, openGate, challenge, sign, steal };
  }

  /** Asks a gate whose node doesn't answer while it captures, so that it withholds the answer. */
  async function withhold(
    ask: () => Promise<Response>,
    told = /Send the same request with the same payment again/,
  ) {
    const now = performance.now.bind(performance);
    let passedMs = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now() + passedMs);
    vi.spyOn(rail, "charge").mockImplementation(async () => {
      passedMs += 31_000;
      throw new Error("The node does not answer.");
    });
    const withheld = await ask();
    const { code, message } = await withheld.json();
    expect([withheld.status, code]).toEqual([402, "settlement_pending"]);
    expect(message).toMatch(told);
    work.mockClear();
  }
  /** Puts the capture into a block, which the service reads. */
  async function include() {
    vi.mocked(rail.charge).mockRestore();
    check.mockResolvedValue(used);
    await service.ports.clock.advance(60);
    await resolveOrders(service.ports);
  }

  const CLIENTS: [string, Record<string, string>][] = [
    ["a stock client", {}],
    ["a client with its own key", { "idempotency-key": "key-of-a-client" }],
  ];

  test.each(
    CLIENTS.flatMap(([client, key]) => [
      [client, "the gate that withheld it", key] as const,
      [client, "another replica", key] as const,
    ]),
  )("an answer that was paid for is given to %s alone, at %s", async (_, place, key) => {
    const { openGate, sign, steal } = await shop();
    const [first, other] = [openGate(), openGate()];
    const own = { ...(await sign(first)), ...key };
    await withhold(() => first(own));
    await include();
    const stolen = [...(await steal(first)), ...(await steal(other))];
    expect([402, 409]).toEqual(expect.arrayContaining(stolen));
    expect(work).not.toHaveBeenCalled();
    const again = await (place === "another replica" ? other : first)(own);
    expect([again.status, await again.text()]).toEqual([200, BODY]);
  });

  test("an answer is given to its client alone also before the capture is in a block", async () => {
    const { openGate, sign, steal } = await shop();
    const [first, other] = [openGate(), openGate()];
    const own = { ...(await sign(first)), "idempotency-key": "key-of-a-client" };
    await withhold(() => first(own));
    const stolen = await Promise.all([steal(first), steal(other)]);
    expect([409, 503]).toEqual(expect.arrayContaining(stolen.flat()));
    expect(work).not.toHaveBeenCalled();
    vi.mocked(rail.charge).mockRestore();
    expect((await other(own)).status).toBe(200);
  });

  test("a wallet whose payment the chain refused is told so by the gate that withheld its answer", async () => {
    const { openGate, sign } = await shop();
    const gate = openGate();
    const own = await sign(gate);
    const refused = { status: "refused", code: "insufficient_funds", message: "" } as const;
    vi.spyOn(rail, "charge").mockResolvedValue(refused);
    expect((await gate(own)).status).toBe(402);
    expect(await (await gate(own)).json()).toMatchObject({ cause: "authorization_used" });
  });

  /** Requests by one payment that a gate reserved before it died, and settled with an unknown outcome if it `hasSettled`. */
  async function dieReserved({ hasSettled = false } = {}) {
    const { openGate, challenge, sign } = await shop();
    const gate = openGate();
    const { "payment-signature": x402AccessToken } = await sign(gate);
    const paymentRequired = (await challenge(gate)) as never;
    const id = { agentRequestId: fresh(16), requestDigest: fresh(32) };
    const request = { paymentRequired, x402AccessToken, ...id };
    const { facilitator } = builder.payments;
    const verify = (changed: object = {}) =>
      facilitator.verifyPermissions({ ...request, reserve: true, ...changed });
    expect(await verify()).toMatchObject({ isValid: true });
    if (hasSettled) {
      vi.spyOn(rail, "charge").mockRejectedValue(new Error("The node does not answer."));
      const settling = facilitator.settlePermissions(request);
      await expect(settling).rejects.toMatchObject({ code: "outcome_unknown" });
      await include();
    }
    await service.ports.clock.advance(301);
    await service.ports.ledger.sweep();
    return { verify, settle: () => facilitator.settlePermissions(request) };
  }

  test("a client whose gate died while its capture was unknown gets what it paid for once the reservation expired", async () => {
    const { verify, settle } = await dieReserved({ hasSettled: true });
    const stolen = verify({ requestDigest: fresh(32) });
    await expect(stolen).rejects.toMatchObject({ code: "idempotency_conflict" });
    expect(await verify()).toMatchObject({ isValid: true });
    expect(await settle()).toMatchObject({ success: true, remainingBalance: "0" });
    await expect(verify()).rejects.toMatchObject({ code: "idempotency_conflict" });
  });

  test("a client whose gate died before the capture pays by the same payment once the reservation expired", async () => {
    const { verify, settle } = await dieReserved();
    expect(await verify({ reserve: false })).toMatchObject({ isValid: true });
    expect(await verify()).toMatchObject({ isValid: true });
    expect(await settle()).toMatchObject({ success: true });
  });

  test("a reservation that expired goes to one of two replicas that verify at once", async () => {
    const { verify } = await dieReserved();
    let answer: (() => void) | undefined;
    check.mockImplementationOnce(
      () =>
        new Promise((resolve) => {
          answer = () => resolve(unused);
        }),
    );
    const slow = verify({ attemptId: fresh(8) });
    await vi.waitFor(() => expect(answer).toBeDefined(), { timeout: 10_000 });
    expect(await verify({ attemptId: fresh(8) })).not.toHaveProperty("isRepeat");
    answer?.();
    expect(await slow).toMatchObject({ isRepeat: true });
  });

  /** A stock client's request with any body, at a gate whose calls to the service `fetch` sends. */
  async function openStockGate(fetch = service.fetch) {
    const { planId, sign } = await shop();
    const { apiKey } = builder;
    const api = Payments.getInstance({
      ...{ apiKey, fetch, maxRetries: 0 },
      baseUrl: "http://service.test",
    });
    const gate = createGate(
      api,
      { "POST /ask": { planId, exact: true } },
      { queue: createMemoryQueue(), report: false, logger: { error: () => {} } as never },
    );
    const requestOf = (init: object) => new Request(URL_OF_ROUTE, { method: "POST", ...init });
    const ask = (request: Request) => gate(request, work as never);
    return { ask, requestOf, sign: () => sign((headers) => ask(requestOf({ headers }))) };
  }

  test.each([
    ["longer than a gate reads", () => new Uint8Array(11 * 1024 * 1024)],
    ["that was read before the gate", () => "read"],
    ["that has no end yet", () => new ReadableStream()],
  ])(
    "a stock client pays for a request with a body %s, which it did not ask to be named by",
    async (_, bodyOf) => {
      const { ask, requestOf, sign } = await openStockGate();
      work.mockResolvedValue(new Response("done"));
      const body = bodyOf();
      const request = requestOf({ body, headers: await sign(), duplex: "half" });
      if (body === "read") await request.text();
      expect((await ask(request)).status).toBe(200);
    },
  );

  test.each([
    ["whose body states no length", "stream"],
    ["whose body was read before the gate", "read"],
  ])(
    "a stock client %s is not told to send the payment of a withheld answer again, which gets no answer",
    async (_, kind) => {
      const { ask, requestOf, sign } = await openStockGate();
      const own = await sign();
      const askOnce = async () => {
        const body = kind === "read" ? BODY : new Blob([BODY]).stream();
        const length = kind === "read" && { "content-length": String(BODY.length) };
        const request = requestOf({ body, headers: { ...own, ...length }, duplex: "half" });
        if (kind === "read") await request.text();
        return ask(request);
      };
      await withhold(askOnce, /^The payment was not confirmed, so the answer is withheld.$/);
      await include();
      expect((await askOnce()).status).toBe(402);
      expect(work).not.toHaveBeenCalled();
    },
  );

  test("a withheld answer whose reservation could not be released is given once the service is back", async () => {
    const now = performance.now.bind(performance);
    let passedMs = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now() + passedMs);
    let isDown = false;
    const { ask, requestOf, sign } = await openStockGate((input, init) => {
      if (!isDown || !/settle|release/.test(String(input))) return service.fetch(input, init);
      passedMs += 31_000;
      return Promise.reject(new Error("No route."));
    });
    const headers = { ...(await sign()), "content-length": String(BODY.length) };
    isDown = true;
    expect((await ask(requestOf({ body: BODY, headers }))).status).toBe(402);
    isDown = false;
    await service.ports.clock.advance(301);
    await service.ports.ledger.sweep();
    expect((await ask(requestOf({ body: BODY, headers }))).status).toBe(200);
  });
});
