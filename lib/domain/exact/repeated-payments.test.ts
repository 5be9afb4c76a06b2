import { randomBytes } from "node:crypto";
import { Payments } from "@turnpike/payments";
import {
  type AnswerStore,
  createGate,
  createMemoryAnswers,
  createMemoryQueue,
  type GateEvent,
  type RequestEvent,
  type RouteConfig,
} from "@turnpike/payments/gate";
import {
  decodeHeader,
  decodePaymentRequired,
  EXACT,
  encodeHeader,
  getCryptoPriceConfig,
  getDynamicCreditsConfig,
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
import type { ExactFault } from "./exact-ports.ts";

const PRICE = 1_000_000n;
const fresh = (bytes: number) => `0x${randomBytes(bytes).toString("hex")}`;

/** What a repeat of a request with the same payment is answered. The chain is pretended. */
describe.each(ruleStores())("repeated payments by exact on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let builder: TestParty;
  const rail = { ...createPretendRail(), scheme: EXACT, takes: () => false };
  let fault: ExactFault | null = null;
  /** Time that a gate waited, so that it asks no more. */
  let waitedMs = 0;
  const check = async () => {
    if (fault) waitedMs += 31_000;
    return { fault, balance: PRICE, block: 1n, gas: 0, runsCode: false };
  };
  const work = vi.fn<(request: Request) => Promise<Response>>();
  const openService = () => {
    const exact = { ...pretendExact(), check };
    return createTestService(database, { rails: [createPretendRail(), rail], exact });
  };

  beforeAll(async () => {
    database = await open();
    service = openService();
    builder = await service.party();
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const priceOf = (amount: bigint) => ({
    ...getCryptoPriceConfig(amount, builder.address, testDeployment().usdc ?? ""),
    currency: "USDC",
  });
  const sell = async (credits = getFixedCreditsConfig(1n)) => {
    const { plans } = builder.payments;
    return (await plans.registerCreditsPlan({ name: "By wallet" }, priceOf(PRICE), credits)).planId;
  };
  const events: GateEvent[] = [];
  const openGate = (
    planId: string,
    route: RouteConfig = {},
    payments = builder.payments,
    answers?: AnswerStore,
  ) => {
    const logger = { error: () => {} } as never;
    const gate = createGate(
      payments,
      { "POST /ask": { planId, exact: true, ...route } },
      {
        queue: createMemoryQueue(),
        report: false,
        logger,
        observe: (event) => events.push(event),
        ...(answers && { answers }),
      },
    );
    return (headers: Record<string, string>, body = "{}") => {
      const sent = { ...headers, "content-length": String(body.length) };
      const request = { method: "POST", body, headers: sent };
      return gate(new Request("https://agent.test/ask", request), work);
    };
  };
  type Gate = ReturnType<typeof openGate>;

  /** A plan, a gate, and a payment as a stock client sends it. */
  async function sign(planId?: string, credits?: bigint) {
    planId ??= await sell();
    const gate = openGate(planId, { credits });
    const required = decodePaymentRequired((await gate({})).headers.get("payment-required") ?? "");
    const authorization = {
      ...{ from: fresh(20), to: builder.address, value: `${PRICE}` },
      ...{ validAfter: "0", validBefore: "99999999999", nonce: fresh(32) },
    };
    const payload = { signature: fresh(65), authorization };
    const accepted = required?.accepts.find(isExactOffer);
    const encode = (extra: object = {}, changes: object = {}, signed: object = {}) => {
      const answered = { ...accepted, extra: { ...accepted?.extra, ...extra }, ...changes };
      const sent = { ...payload, authorization: { ...authorization, ...signed } };
      return {
        "payment-signature": encodeHeader({ x402Version: 2, accepted: answered, payload: sent }),
      };
    };
    /** As others send it who read it on chain. */
    const stolen = encode({ challengeId: fresh(16) });
    return { planId, gate, payment: encode(), stolen, encode };
  }
  type Signed = Awaited<ReturnType<typeof sign>>;

  const delivered = async () => new Response("done");
  const failed = async () => new Response("no", { status: 500 });
  const expire = async () => {
    await service.ports.clock.advance(310);
    await service.ports.ledger.sweep();
  };
  /** A gate that settles while the node does not answer, until `include` puts the capture into a block. */
  const withhold = async ({ gate, payment }: Signed) => {
    const now = performance.now.bind(performance);
    vi.spyOn(performance, "now").mockImplementation(() => now() + waitedMs);
    vi.spyOn(rail, "charge").mockImplementation(async () => {
      waitedMs += 31_000;
      throw new Error("The node does not answer.");
    });
    expect(await (await gate(payment)).json()).toMatchObject({ code: "settlement_pending" });
  };
  const include = async () => {
    vi.mocked(rail.charge).mockRestore();
    await service.ports.clock.advance(60);
    await resolveOrders(service.ports);
  };
  const withheldUntil =
    (seen: ExactFault | null, ...then: (() => Promise<void>)[]) =>
    async (signed: Signed) => {
      await withhold(signed);
      fault = seen;
      for (const step of then) await step();
    };
  /** A gate that dies while it works. */
  const reserve = async ({ planId, payment }: Signed) => {
    await new Promise<void>((begun) => {
      work.mockImplementationOnce(() => {
        begun();
        return new Promise(() => {});
      });
      void openGate(planId)(payment);
    });
  };

  /** What becomes of a payment before it is sent again. */
  const STATES: Record<string, (signed: Signed) => Promise<unknown>> = {
    signed: async () => {},
    reserved: reserve,
    "reserved, and expired": async (signed) => {
      await reserve(signed);
      await expire();
    },
    "released after failed work": async ({ gate, payment }) => {
      work.mockImplementationOnce(failed);
      await gate(payment);
    },
    "capture unknown": withheldUntil(null),
    "capture unknown, in a block": withheldUntil("authorization_used"),
    "capture unknown, expired": withheldUntil("authorization_expired"),
    "capture unknown, wallet empty": withheldUntil("insufficient_funds"),
    captured: withheldUntil("authorization_used", include),
    "captured, which the node does not see yet": withheldUntil(null, include),
    "captured, below a minimum that rose": withheldUntil("amount_too_small", include),
    delivered: async ({ gate, payment }) => {
      expect((await gate(payment)).status).toBe(200);
      fault = "authorization_used";
    },
    refunded: async (signed) => {
      await withheldUntil("authorization_used", include)(signed);
      const { orders } = service.ports;
      const [order] = await database.query<{ id: string }>(
        "select order_id as id from orders where plan_id = $1",
        [signed.planId],
      );
      const failure = { code: "returned", message: "It was refunded.", nextStep: "" };
      const audit = { account: builder.address, keyId: null, action: "order.reverse" };
      await orders.reverse(order?.id ?? "", failure, {
        revokes: false,
        audit: { ...audit, subject: order?.id ?? "", requestId: "test" },
      });
    },
  };

  /** As the operator stops the owner, or undoes it; a key that the stop revoked stays so. */
  const stop = async (sql: string) => {
    await database.query(`update accounts set stopped_at = ${sql} where address = $1`, [
      builder.address,
    ]);
    await revokeKeys(sql);
  };
  const revokeKeys = (sql: string) =>
    database.query(`update api_keys set revoked_at = ${sql} where account = $1`, [builder.address]);
  /** What changes before the payment is sent again, and where it is sent. */
  const CHANGES: Record<string, (signed: Signed) => Promise<Gate> | Gate> = {
    nothing: ({ gate }) => gate,
    "another replica": ({ planId }) => openGate(planId),
    "price changed": async ({ planId, gate }) => {
      await builder.payments.plans.updatePlan(planId, { priceConfig: priceOf(2n * PRICE) });
      return gate;
    },
    "plan archived": async ({ planId, gate }) => {
      await builder.payments.plans.archivePlan(planId);
      return gate;
    },
    "owner stopped": async ({ gate }) => {
      await stop("app_now()");
      return gate;
    },
    "owner stopped, all restarted": async ({ planId }) => {
      await stop("app_now()");
      const { fetch } = openService();
      const { apiKey } = builder;
      const baseUrl = "http://service.test";
      return openGate(
        planId,
        {},
        Payments.getInstance({ apiKey, fetch, environment: "sandbox", baseUrl }),
      );
    },
    "key revoked": async ({ gate }) => {
      await revokeKeys("app_now()");
      return gate;
    },
    "another plan": async () => openGate(await sell()),
    "exact off": ({ planId }) => openGate(planId, { exact: false }),
  };

  const SIGN_ANEW = {
    "price changed": "402 other_payment",
    "plan archived": "402 plan_archived",
    "another plan": "402 plan_not_offered",
    "exact off": "402 plan_not_offered",
  };
  const CONFLICT = "409 idempotency_conflict";
  /** What most changes, and the others, come to. */
  const ANSWERS: Record<keyof typeof STATES, [usual: string, others?: Record<string, string>]> = {
    signed: ["200", SIGN_ANEW],
    reserved: ["409 conflict"],
    "reserved, and expired": ["200", SIGN_ANEW],
    "released after failed work": ["200", SIGN_ANEW],
    "capture unknown": ["402 settlement_pending"],
    "capture unknown, in a block": ["503 unavailable"],
    "capture unknown, expired": ["503 unavailable"],
    "capture unknown, wallet empty": ["503 unavailable"],
    captured: ["200"],
    "captured, which the node does not see yet": ["200"],
    "captured, below a minimum that rose": ["200"],
    delivered: [
      "200",
      Object.fromEntries(
        ["another replica", "owner stopped, all restarted", "another plan", "exact off"].map(
          (change) => [change, CONFLICT],
        ),
      ),
    ],
    refunded: ["402 authorization_used"],
  };

  test.each(Object.entries(ANSWERS))(
    "a payment that is %s is answered the same after most changes, and no other one is asked for once it may be captured",
    async (state, [usual, others]) => {
      const answers: Record<string, string> = {};
      const asked: string[] = [];
      for (const change of Object.keys(CHANGES)) {
        fault = null;
        work.mockReset().mockImplementation(delivered);
        const signed = await sign();
        await STATES[state]?.(signed);
        const gate = (await CHANGES[change]?.(signed)) ?? signed.gate;
        const answer = await gate(signed.payment);
        await stop("null");
        vi.restoreAllMocks();
        if (answer.headers.has("payment-required")) asked.push(change);
        const { code, cause } = answer.status === 200 ? {} : await answer.json();
        answers[change] = [answer.status, cause ?? code].filter(Boolean).join(" ");
      }
      const all = Object.keys(CHANGES).map((change) => [change, usual]);
      // No money was captured: the stopped owner sells nothing more.
      const isUnpaid = /^(signed|reserved|released)/.test(state);
      const stopped = isUnpaid
        ? Object.fromEntries(
            Object.keys(CHANGES)
              .filter((change) => /^(owner|key)/.test(change))
              .map((change) => [change, "500 internal"]),
          )
        : {};
      expect(answers).toEqual({ ...Object.fromEntries(all), ...stopped, ...others });
      if (/^(capture|delivered)/.test(state)) expect(asked).toEqual([]);
    },
  );

  test.each(["captured", "captured, which the node does not see yet"])(
    "a payment that is %s works again also where the seller keeps answers",
    async (state) => {
      fault = null;
      work.mockReset().mockImplementation(delivered);
      const signed = await sign();
      const gate = openGate(signed.planId, {}, builder.payments, createMemoryAnswers());
      await STATES[state]?.({ ...signed, gate });
      expect((await gate(signed.payment)).status).toBe(200);
      vi.restoreAllMocks();
    },
  );

  test("what a payment bought before its plan left the route is given to its client alone", async () => {
    fault = null;
    work.mockReset().mockImplementation(delivered);
    const signed = await sign();
    await STATES.captured?.(signed);
    work.mockClear();
    const gate = openGate(await sell());
    const ofAgent = openGate(signed.planId, { agentId: "7" });
    const others = [
      gate(signed.stolen),
      gate(signed.payment, '{ "other": 1 }'),
      ofAgent(signed.payment),
    ];
    for (const other of others) {
      expect(await (await other).json()).toMatchObject({ cause: "authorization_used" });
    }
    expect(work).not.toHaveBeenCalled();
    expect((await gate(signed.payment)).status).toBe(200);
    expect((await openGate(signed.planId)(signed.payment)).status).toBe(409);
  });

  test.each([
    ["a valid key gets", "null", "8"],
    ["a key that has ended gets no", "app_now()", undefined],
  ])("%s a token for the credits that are left", async (_, revokedAt, credits) => {
    fault = null;
    work.mockReset().mockImplementation(delivered);
    const signed = await sign(await sell(getDynamicCreditsConfig(10n, 2n, 8n)), 2n);
    await STATES.captured?.(signed);
    await revokeKeys(revokedAt);
    const answer = await signed.gate(signed.payment);
    await revokeKeys("null");
    expect(answer.status).toBe(200);
    const settled = decodeHeader(answer.headers.get("payment-response") ?? "");
    expect(settled).toMatchObject({ extra: { creditsRedeemed: "2" } });
    expect(settled).toMatchObject(
      credits ? { extensions: { credits: { info: { credits } } } } : {},
    );
    expect("extensions" in (settled as object)).toBe(credits !== undefined);
  });

  test.each([true, false])(
    "a call whose dynamic plan left its route takes what it costs there, within the plan's range (exact: %s)",
    async (exact) => {
      const dynamic = () => sell(getDynamicCreditsConfig(10n, 2n, 8n));
      for (const [cost, taken] of [
        [1n, 2],
        [5n, 5],
        [9n, 8],
      ] as const) {
        fault = null;
        work.mockReset().mockImplementation(delivered);
        const signed = await sign(await dynamic(), 7n);
        await STATES.captured?.(signed);
        const other = await sell(getDynamicCreditsConfig(10n, 1n, 10n));
        const answer = await openGate(other, { exact, credits: cost })(signed.payment);
        const settled = decodeHeader(answer.headers.get("payment-response") ?? "");
        expect(settled).toMatchObject({ extra: { creditsRedeemed: String(taken) } });
        vi.restoreAllMocks();
      }
    },
  );

  const NO_TEXT = { toString: 1, valueOf: 1 };
  test.each<[string, object, object?, object?]>([
    ["a plan that is an object", { planId: NO_TEXT }],
    ["a plan that is a list", { planId: ["42"] }],
    ["a plan that is not a number", { planId: "nonsense" }],
    ["a plan that no number is as large as", {}, { planId: "9".repeat(78) }],
    ["another plan beside it that no database takes", {}, { planId: "a\u0000" }],
    ["another plan beside it that is half a character", {}, { planId: "\ud800" }],
    ["a 402 that is an object", { challengeId: NO_TEXT }],
    ["a token that is an object", {}, { planId: "7", asset: NO_TEXT }],
    ["a network that is a number", {}, { network: 1 }],
    ["a time that is an object", {}, { planId: "7" }, { validAfter: NO_TEXT }],
    ["a recipient that is a list", {}, { planId: "7" }, { to: [`0x${"1".repeat(40)}`] }],
  ])(
    "a payment that names %s is a 402, and is reported for the route's plan",
    async (_, extra, changes, signed) => {
      fault = null;
      const { planId, gate, encode } = await sign();
      events.length = 0;
      const answer = await gate(encode(extra, changes, signed));
      expect(answer.status).toBe(402);
      const [event] = events as RequestEvent[];
      expect(event?.planId ?? event?.planIds[0]).toBe(planId);
    },
  );
});
