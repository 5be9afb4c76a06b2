import { randomBytes } from "node:crypto";
import { createGate, createMemoryQueue } from "@turnpike/payments/gate";
import {
  decodeHeader,
  decodePaymentRequired,
  EXACT,
  encodeHeader,
  getCryptoPriceConfig,
  getExpirableDurationConfig,
  getFixedCreditsConfig,
  isExactOffer,
  type PlanCreditsConfig,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
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

const PRICE = 1_000_000n;
const HOUR_SECS = 3_600;
const fresh = (bytes: number) => `0x${randomBytes(bytes).toString("hex")}`;

type Info = { credits: string; accessToken: string; expiresAt: string };

/** Tokens for what a wallet bought: it has no account that could mint another one. The chain is pretended. */
describe.each(ruleStores())("tokens of wallets on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let builder: TestParty;
  const exactRail = { ...createPretendRail(), scheme: EXACT, takes: () => false };
  const check = async () => ({
    ...{ fault: null, balance: 10n * PRICE },
    ...{ block: 1n, gas: 0, runsCode: false },
  });
  const work = vi.fn(async () => new Response("done"));

  beforeAll(async () => {
    database = await open();
    const rails = [createPretendRail(), exactRail];
    service = createTestService(database, { rails, exact: { ...pretendExact(), check } });
    builder = await service.party();
  });
  beforeEach(() => {
    work.mockReset().mockImplementation(async () => new Response("done"));
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  /** A plan behind gates of one builder, and payments of one wallet for it. */
  async function shop(credits: PlanCreditsConfig, kind: "credits" | "time" = "credits") {
    const { plans } = builder.payments;
    const register = kind === "time" ? plans.registerTimePlan : plans.registerCreditsPlan;
    const price = getCryptoPriceConfig(PRICE, builder.address, testDeployment().usdc ?? "");
    const named = { name: "By wallet" };
    const { planId } = await register(named, { ...price, currency: "USDC" }, credits);
    const openGate = () => {
      const logger = { error: () => {} } as never;
      const options = { queue: createMemoryQueue(), report: false, logger } as const;
      const gate = createGate(builder.payments, { "POST /ask": { planId, exact: true } }, options);
      return (payment?: string, body = "{}") => {
        const headers = {
          "content-length": String(body.length),
          ...(payment && { "payment-signature": payment }),
        };
        return gate(new Request("https://agent.test/ask", { method: "POST", body, headers }), work);
      };
    };
    const gate = openGate();
    const required = decodePaymentRequired((await gate()).headers.get("payment-required") ?? "");
    const accepted = required?.accepts.find(isExactOffer);
    const from = fresh(20);
    /** A payment as its client sends it, and as others do who read it on chain. */
    const sign = () => {
      const authorization = {
        ...{ from, to: builder.address, value: `${PRICE}` },
        ...{ validAfter: "0", validBefore: "99999999999", nonce: fresh(32) },
      };
      const payload = { signature: fresh(65), authorization };
      const encode = (extra: object) =>
        encodeHeader({
          x402Version: 2,
          accepted: { ...accepted, extra: { ...accepted?.extra, ...extra } },
          payload,
        });
      const unnamed = encode({ challengeId: undefined });
      return { payment: encode({}), stolen: [encode({ challengeId: fresh(16) }), unnamed] };
    };
    const balance = () => builder.payments.plans.getPlanBalance(planId, from);
    return { planId, gate, openGate, sign, balance };
  }

  function infoOf(response: Response): Info | undefined {
    const header = response.headers.get("payment-response");
    const settlement = header === null ? {} : decodeHeader(header);
    return (settlement as { extensions?: { credits: { info: Info } } }).extensions?.credits.info;
  }

  const limitOf = async (planId: string) => {
    const rows = await database.query<{ n: string }>(
      "select redemption_limit::text as n from tokens where plan_id = $1 and can_order",
      [planId],
    );
    return rows.map(({ n }) => n).join();
  };

  test("a token reaches as far as the credits that were bought", async () => {
    const { planId, gate, sign, balance } = await shop(getFixedCreditsConfig(5_000n, 1n));
    const { accessToken = "" } = infoOf(await gate(sign().payment)) ?? {};
    expect(await limitOf(planId)).toBe("4999");
    await service.ports.clock.advance(24 * 30 * HOUR_SECS);
    expect((await gate(accessToken)).status).toBe(200);
    expect((await balance()).balance).toBe(4_998n);
  });

  test("a token for credits that expire lasts as long as they do", async () => {
    const pack = { ...getFixedCreditsConfig(10n, 1n), durationSecs: BigInt(72 * HOUR_SECS) };
    const { gate, sign, balance } = await shop(pack);
    const { accessToken = "", expiresAt = "" } = infoOf(await gate(sign().payment)) ?? {};
    const end = Date.parse(String((await balance()).expiresAt));
    expect(end - Date.parse(expiresAt)).toBeLessThan(1_000);
    await service.ports.clock.advance(71 * HOUR_SECS);
    expect((await gate(accessToken)).status).toBe(200);
  });

  test("a token for time that was bought lasts as long as the time", async () => {
    const { gate, sign } = await shop(getExpirableDurationConfig(BigInt(72 * HOUR_SECS)), "time");
    const { accessToken = "" } = infoOf(await gate(sign().payment)) ?? {};
    await service.ports.clock.advance(71 * HOUR_SECS);
    expect((await gate(accessToken)).status).toBe(200);
    await service.ports.clock.advance(2 * HOUR_SECS);
    expect((await gate(accessToken)).status).toBe(402);
  });

  test("a client whose response was lost gets another token by the same request, and nothing is charged", async () => {
    const { gate, openGate, sign, balance } = await shop(getFixedCreditsConfig(10n, 1n));
    const { payment } = sign();
    const first = infoOf(await gate(payment));
    await service.ports.clock.advance(48 * HOUR_SECS);
    const other = openGate();
    // Its response may be lost, too.
    await other(payment);
    const again = await other(payment);
    expect(again.status).toBe(409);
    expect(await again.json()).toMatchObject({ message: expect.stringContaining("token") });
    const { accessToken = "", credits } = infoOf(again) ?? {};
    expect(credits).toBe("9");
    expect(accessToken).not.toBe(first?.accessToken);
    expect((await gate(accessToken)).status).toBe(200);
    expect(work).toHaveBeenCalledTimes(2);
    expect((await balance()).balance).toBe(8n);
  });

  test("a client whose response was too long to keep gets another token", async () => {
    const { gate, sign } = await shop(getFixedCreditsConfig(10n, 1n));
    const { payment } = sign();
    work.mockImplementationOnce(async () => new Response(new Uint8Array(2 ** 20 + 1)));
    await (await gate(payment)).arrayBuffer();
    for (let repeat = 1; repeat <= 2; repeat++) {
      const again = await gate(payment);
      expect([again.status, infoOf(again)?.credits]).toEqual([409, "9"]);
    }
  });

  test.each([
    ["now", false],
    ["by an earlier release, which kept no subject", true],
  ])("no one else gets a token by a payment that was captured %s", async (_, isOld) => {
    const { planId, gate, openGate, sign } = await shop(getFixedCreditsConfig(10n, 1n));
    const { payment, stolen } = sign();
    await gate(payment);
    if (isOld)
      await database.query("update holds set subject_hash = null where plan_id = $1", [planId]);
    const answers = [
      ...stolen.map((each) => openGate()(each)),
      openGate()(payment, '{ "other": 1 }'),
    ];
    for (const answer of await Promise.all(answers)) {
      expect(answer.status).toBe(409);
      expect(answer.headers.has("payment-response")).toBe(false);
    }
  });

  test("a repeat of a request that is worked on settles nothing", async () => {
    const { gate, openGate, sign } = await shop(getFixedCreditsConfig(10n, 1n));
    const { payment, stolen } = sign();
    let finish = (_: Response) => {};
    const begun = new Promise<void>((resolve) => {
      work.mockImplementationOnce(() => {
        resolve();
        return new Promise((done) => {
          finish = done;
        });
      });
    });
    const running = gate(payment);
    await begun;
    for (const other of [payment, ...stolen]) {
      const answer = await openGate()(other);
      expect([answer.status, answer.headers.has("payment-response")]).toEqual([409, false]);
    }
    finish(new Response("no", { status: 500 }));
    expect((await running).headers.has("payment-response")).toBe(false);
  });

  test("a client gets a token for what is left when the plan's new version sells less than one request takes", async () => {
    const { planId, gate, openGate, sign } = await shop(getFixedCreditsConfig(1_000n, 1n));
    const { payment } = sign();
    await gate(payment);
    await builder.payments.plans.updatePlan(planId, {
      creditsConfig: getFixedCreditsConfig(1n, 1n),
    });
    const again = infoOf(await openGate()(payment));
    expect(again?.credits).toBe("999");
    expect((await gate(again?.accessToken)).status).toBe(200);
  });

  test("repeats, also at once, renew the one token of a payment, and every copy of it works", async () => {
    const { planId, gate, openGate, sign, balance } = await shop(getFixedCreditsConfig(10n, 1n));
    const { payment } = sign();
    const tokens = [infoOf(await gate(payment))?.accessToken];
    expect((await gate(tokens[0])).status).toBe(200);
    await service.ports.clock.advance(2);
    const repeats = await Promise.all([openGate()(payment), openGate()(payment)]);
    tokens.push(...repeats.map((each) => infoOf(each)?.accessToken));
    expect(await limitOf(planId)).toBe("9");
    for (const token of tokens) expect((await gate(token)).status).toBe(200);
    expect((await balance()).balance).toBe(5n);
  });

  test("a token that its wallet revoked is not renewed", async () => {
    const { planId, gate, openGate, sign } = await shop(getFixedCreditsConfig(10n, 1n));
    const { payment } = sign();
    await gate(payment);
    await database.query("update tokens set revoked_at = app_now() where plan_id = $1", [planId]);
    expect(infoOf(await openGate()(payment))).toBeUndefined();
  });

  test("credits that are used up are given no token", async () => {
    const { gate, openGate, sign } = await shop(getFixedCreditsConfig(2n, 1n));
    const { payment } = sign();
    const { accessToken = "" } = infoOf(await gate(payment)) ?? {};
    expect((await gate(accessToken)).status).toBe(200);
    const again = await openGate()(payment);
    expect(again.status).toBe(409);
    expect(infoOf(again)).toBeUndefined();
  });
});
