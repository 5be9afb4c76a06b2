import { Payments } from "@turnpike/payments";
import {
  buildPaymentRequired,
  decodeAccessToken,
  getFixedCreditsConfig,
  type InputOf,
  type Settlement,
} from "@turnpike/payments/protocol";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Database, inTransaction, rowsOf } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { freshId } from "@/lib/server/testing/operation-samples.ts";
import {
  createMarket,
  createTestService,
  TEST_ORIGIN,
  type TestMarket,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { longTest } from "@/lib/testing/in-full.ts";
import { LEASE_SECS } from "./lease.ts";

type Item = InputOf<"settleBatch">["items"][number];

describe.each(ruleStores())("leases and batches on $name", ({ name, open }) => {
  let database: Database;
  let service: TestService;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const questionOf = ({ planId, agentId, endpoint, token }: TestMarket) => ({
    paymentRequired: buildPaymentRequired({ planId, agentId, endpoint, httpVerb: "POST" }),
    x402AccessToken: token,
  });
  const lend = (market: TestMarket, requests: number, seconds = 5) =>
    market.builder.payments.facilitator.leasePermissions({
      ...questionOf(market),
      requests,
      seconds,
    });
  const settle = async (market: TestMarket, items: Item[]): Promise<Settlement[]> =>
    (await market.builder.payments.facilitator.settleBatch({ items })).items;
  const balanceOf = async ({ subscriber, planId }: TestMarket) => {
    const { balance, held } = await subscriber.payments.plans.getPlanBalance(planId);
    return { balance, held };
  };
  /** A market whose subscriber has paid once, so that more may be reserved. */
  async function open100(leaseSecs = 5, more: { redemptionLimit?: number } = {}) {
    const credits = getFixedCreditsConfig(100n, 2n);
    const market = await createMarket(service, { credits, leaseSecs, ...more });
    await settle(market, [{ ...questionOf(market), agentRequestId: freshId() }]);
    return market;
  }
  const reserve = (market: TestMarket) =>
    market.builder.payments.facilitator.verifyPermissions({
      ...questionOf(market),
      agentRequestId: freshId(),
      reserve: true,
    });
  /** Runs work while another session has the market's balance locked; `untilWaiting` waits for so many that want it. */
  const whileLocked = <T>(
    { subscriber, planId }: TestMarket,
    work: (untilWaiting: (count: number) => Promise<void>) => Promise<T>,
  ): Promise<T> =>
    inTransaction(database.orm, async (transaction) => {
      await transaction.execute(
        sql`select 1 from balances where account = ${subscriber.address} and plan_id = ${planId} for update`,
      );
      return work(async (count) => {
        await expect
          .poll(async () => {
            const rows = await rowsOf<{ n: string }>(
              transaction,
              sql`select count(*)::text as n from pg_stat_activity
                where datname = current_database() and wait_event_type = 'Lock'`,
            );
            return Number(rows[0]?.n);
          })
          .toBe(count);
      });
    });
  const outcomes = (settled: Settlement[]) =>
    settled.map((each) => (each.success ? each.creditsRedeemed : each.errorReason));

  test("a batch answers in order, and a bad item spoils no other", async () => {
    const market = await createMarket(service, { credits: getFixedCreditsConfig(100n, 1n) });
    const stranger = await createMarket(service);
    const good = () => ({ ...questionOf(market), agentRequestId: freshId() });
    const first = good();
    const items = [
      first,
      { ...good(), x402AccessToken: "bm8=" },
      { ...good(), maxAmount: "0" },
      { ...good(), x402AccessToken: stranger.token },
      { leaseId: "lse_unknown-unknown", agentRequestId: freshId() },
      good(),
      first,
      { ...first, maxAmount: "9" },
    ];
    const settled = await settle(market, items);
    expect(outcomes(settled)).toEqual([
      ...["1", "invalid_token", "invalid_amount"],
      ...["invalid_plan", "conflict", "1", "1", "idempotency_conflict"],
    ]);
    expect(settled[6]).toEqual(settled[0]);
    expect(await balanceOf(market)).toEqual({ balance: 98n, held: 0n });
    const single = await market.builder.payments.facilitator.settlePermissions(first);
    expect(single).toEqual(settled[0]);
  });

  test("an item that fails unexpectedly spoils no other, and is settled by its repeat", async () => {
    const market = await createMarket(service, { credits: getFixedCreditsConfig(100n, 1n) });
    const items = [1, 2].map(() => ({ ...questionOf(market), agentRequestId: freshId() }));
    const taking = vi.spyOn(service.ports.ledger, "settle");
    taking.mockRejectedValueOnce(new Error("canceling statement due to statement timeout"));
    expect(outcomes(await settle(market, items))).toEqual(["unavailable", "1"]);
    taking.mockRestore();
    expect(outcomes(await settle(market, items))).toEqual(["1", "1"]);
    expect(await balanceOf(market)).toEqual({ balance: 98n, held: 0n });
  });

  test("a batch of which nothing could be looked at has the answer of one call", async () => {
    const market = await createMarket(service);
    const taking = vi.spyOn(service.ports.ledger, "settle");
    taking.mockRejectedValue(new Error("unexpected"));
    const items = [1, 2].map(() => ({ ...questionOf(market), agentRequestId: freshId() }));
    const answer = await service.call(market.builder, "POST", "/x402/settle/batch", { items });
    expect(answer.status).toBe(500);
    taking.mockRestore();
  });

  test("a batch under the same key is charged once, each item by its place", async () => {
    const market = await createMarket(service, { credits: getFixedCreditsConfig(100n, 1n) });
    const { facilitator } = market.builder.payments;
    const batch = { items: [questionOf(market), questionOf(market)], idempotencyKey: freshId() };
    const first = await facilitator.settleBatch(batch);
    expect(await facilitator.settleBatch(batch)).toEqual(first);
    const turned = batch.items.map(
      (item) => Object.fromEntries(Object.entries(item).reverse()) as typeof item,
    );
    expect(await facilitator.settleBatch({ ...batch, items: turned })).toEqual(first);
    expect(await balanceOf(market)).toEqual({ balance: 98n, held: 0n });
    await settle(market, batch.items);
    expect(await balanceOf(market)).toEqual({ balance: 96n, held: 0n });
    // Another batch is charged, whatever it has in common with the first, by this client and without it.
    await facilitator.settleBatch({ ...batch, items: [questionOf(market)] });
    expect(await balanceOf(market)).toEqual({ balance: 95n, held: 0n });
    const raw = { ...batch, items: [...batch.items, questionOf(market)] };
    const send = () => service.call(market.builder, "POST", "/x402/settle/batch", raw);
    await send();
    await send();
    expect(await balanceOf(market)).toEqual({ balance: 92n, held: 0n });
  });

  test("a batch under one key is charged once however it is written, with the client and without it", async () => {
    const market = await createMarket(service, { credits: getFixedCreditsConfig(100n, 1n) });
    const { facilitator } = market.builder.payments;
    const idempotencyKey = freshId();
    const item = { ...questionOf(market), maxAmount: "1" };
    for (const written of [item, { ...item, maxAmount: 1 }, { ...item, maxAmount: 1n }]) {
      const { items } = await facilitator.settleBatch({ items: [written, item], idempotencyKey });
      expect(items).toMatchObject([{ success: true }, { success: true }]);
    }
    const withNulls = { ...item, proof: null, idempotencyKey: null, unknown: 1 };
    for (const written of [item, { ...item, maxAmount: 1 }, withNulls]) {
      const raw = { items: [written, item], idempotencyKey };
      await service.call(market.builder, "POST", "/x402/settle/batch", raw);
    }
    expect(await balanceOf(market)).toEqual({ balance: 98n, held: 0n });
  });

  test("a batch with a key of full length is charged once", async () => {
    const market = await createMarket(service, { credits: getFixedCreditsConfig(100n, 1n) });
    const batch = { items: [questionOf(market)], idempotencyKey: "k".repeat(255) };
    for (const _ of [1, 2]) {
      const { items } = await market.builder.payments.facilitator.settleBatch(batch);
      expect(items).toMatchObject([{ success: true }]);
    }
    expect(await balanceOf(market)).toEqual({ balance: 99n, held: 0n });
  });

  test("a batch whose answer was lost is charged once also where its repeat reaches an earlier release", async () => {
    const market = await createMarket(service, { credits: getFixedCreditsConfig(100n, 1n) });
    let sent = 0;
    const { facilitator } = Payments.getInstance({
      apiKey: market.builder.apiKey,
      baseUrl: TEST_ORIGIN,
      async fetch(input, init) {
        // An earlier release ignores the header.
        const headers = new Headers(init?.headers);
        if (sent > 0) headers.delete("idempotency-key");
        const answer = await service.fetch(input, { ...init, headers });
        sent += 1;
        if (sent === 1) throw new TypeError("connection reset");
        return answer;
      },
    });
    const items = [
      questionOf(market),
      { ...questionOf(market), agentRequestId: freshId() },
      {
        paymentPayload: { ...decodeAccessToken(market.token) },
        paymentRequirements: questionOf(market).paymentRequired.accepts[0] ?? { scheme: "" },
      },
    ];
    const settled = await facilitator.settleBatch({ items, idempotencyKey: freshId() });
    expect([sent, settled.items.map(({ success }) => success)]).toEqual([2, [true, true, true]]);
    expect(await balanceOf(market)).toEqual({ balance: 97n, held: 0n });
  });

  test("a settle with a lease takes it from the lease, also beside a token", async () => {
    const market = await open100();
    const { leaseId = "" } = await lend(market, 5);
    const { settlePermissions } = market.builder.payments.facilitator;
    const both = (lease: string) =>
      settlePermissions({ ...questionOf(market), agentRequestId: freshId(), leaseId: lease });
    expect(await both(leaseId)).toMatchObject({ success: true });
    expect(await balanceOf(market)).toEqual({ balance: 96n, held: 8n });
    await expect(both("lse_unknown-unknown")).rejects.toMatchObject({ code: "conflict" });
  });

  test("a body that names a lease but not its request is refused, and charges no token", async () => {
    const market = await open100();
    const { leaseId = "" } = await lend(market, 5);
    const before = await balanceOf(market);
    const question = questionOf(market);
    const stock = {
      paymentPayload: decodeAccessToken(market.token),
      paymentRequirements: question.paymentRequired.accepts[0],
    };
    const named = { agentRequestId: freshId() };
    for (const body of [
      { ...question, leaseId },
      { ...stock, leaseId },
      { ...question, ...named, leaseId: 7 },
    ]) {
      const post = (path: string, sent: object) =>
        service.call(market.builder, "POST", path, sent).then((answer) => answer.json());
      const details = [{ path: "leaseId", message: expect.stringContaining("`agentRequestId`") }];
      expect(await post("/x402/settle", body)).toMatchObject({ code: "invalid_input", details });
      const batch = await post("/x402/settle/batch", { items: [body] });
      expect(batch.details).toMatchObject([{ path: "items.0.leaseId" }]);
    }
    expect(await balanceOf(market)).toEqual(before);
  });

  test("a batch of 500 is settled, and one of 501 refused", async () => {
    const market = await createMarket(service, { credits: getFixedCreditsConfig(600n, 1n) });
    const lease = await lend(market, 1);
    expect(lease.requests).toBe(0);
    const items = Array.from({ length: 150 }, () => ({
      ...questionOf(market),
      agentRequestId: freshId(),
    }));
    expect(new Set(outcomes(await settle(market, items)))).toEqual(new Set(["1"]));
    await expect(
      settle(
        market,
        Array.from({ length: 501 }, () => ({ leaseId: freshId(), agentRequestId: freshId() })),
      ),
    ).rejects.toMatchObject({ code: "invalid_input" });
  });

  test("a lease reserves its requests at once, pays for so many, and no more", async () => {
    const market = await open100();
    const { leaseId = "", requests, seconds, verification } = await lend(market, 10);
    expect({ requests, seconds }).toEqual({ requests: 10, seconds: 5 });
    expect(verification).toMatchObject({ isValid: true, credits: "2" });
    expect(await balanceOf(market)).toEqual({ balance: 98n, held: 20n });
    const items = Array.from({ length: 12 }, () => ({ leaseId, agentRequestId: freshId() }));
    const settled = outcomes(await settle(market, items));
    expect(settled.filter((each) => each === "2")).toHaveLength(10);
    expect(settled.filter((each) => each === "conflict")).toHaveLength(2);
    expect(await balanceOf(market)).toEqual({ balance: 78n, held: 0n });
    // The same again: the same answers, and nothing more is charged.
    expect(outcomes(await settle(market, items)).toSorted()).toEqual(settled.toSorted());
    expect(await balanceOf(market)).toEqual({ balance: 78n, held: 0n });
  });

  test("a lease leaves credits and redemptions to other calls", async () => {
    const market = await open100();
    expect((await lend(market, 10_000)).requests).toBe(12);
    expect((await lend(market, 10_000)).requests).toBe(9);
    const limited = await open100(5, { redemptionLimit: 21 });
    expect((await lend(limited, 10_000)).requests).toBe(5);
  });

  test("a token without leases, a shorter one and a revoked one bound what a gate gets", async () => {
    expect(await lend(await open100(0), 10)).toEqual({ requests: 0, seconds: 0 });
    expect((await lend(await open100(2), 10, 60)).seconds).toBe(2);
    const revoked = await open100();
    await revoked.subscriber.payments.tokens.revokeToken(revoked.tokenId);
    expect((await lend(revoked, 10)).requests).toBe(0);
    await expect(createMarket(service, { leaseSecs: 61 })).rejects.toMatchObject({
      code: "invalid_input",
    });
  });

  test("T12: what was served before a revocation is settled from its lease", async () => {
    const market = await open100();
    const { leaseId = "" } = await lend(market, 4);
    await market.subscriber.payments.tokens.revokeToken(market.tokenId);
    const [settled] = await settle(market, [{ leaseId, agentRequestId: freshId() }]);
    expect(settled).toMatchObject({ success: true, creditsRedeemed: "2" });
  });

  // The embedded database has one connection.
  const onPostgres = test.skipIf(name === "PGlite");
  onPostgres(
    "T12: a lease that is released while it is settled gives back what is left",
    async () => {
      const market = await open100();
      const { leaseId = "" } = await lend(market, 10);
      const items = Array.from({ length: 8 }, () => ({ leaseId, agentRequestId: freshId() }));
      const { settled, released } = await whileLocked(market, async (untilWaiting) => {
        const settled = settle(market, items);
        await untilWaiting(1);
        const released = market.builder.payments.facilitator.releasePermissions({
          agentRequestId: leaseId,
        });
        await untilWaiting(2);
        return { settled, released };
      });
      expect(outcomes(await settled)).toEqual(Array(8).fill("2"));
      expect(await released).toMatchObject({ released: "4" });
      expect(await balanceOf(market)).toEqual({ balance: 82n, held: 0n });
    },
  );

  test("a hold that cannot be expired keeps no other one", async () => {
    const [market, other] = [await open100(), await open100()];
    await reserve(market);
    await reserve(other);
    const damage = (change: string) =>
      database.query(`update tokens set reserved = reserved ${change} where jti = $1`, [
        market.tokenId,
      ]);
    await damage("- 1");
    await service.ports.clock.advance(LEASE_SECS + 1);
    await service.ports.ledger.sweep();
    expect(await balanceOf(market)).toEqual({ balance: 98n, held: 2n });
    expect(await balanceOf(other)).toEqual({ balance: 98n, held: 0n });
    expect(await brokenRules(database)).toEqual(["inv_token_limits: 1"]);
    await damage("+ 1");
    await service.ports.ledger.sweep();
    expect(await balanceOf(market)).toEqual({ balance: 98n, held: 0n });
  });

  test("T14: a lost lease is returned after its grace or settled, never both", async () => {
    const market = await open100();
    const { leaseId = "" } = await lend(market, 10);
    const items = [1, 2, 3].map(() => ({ leaseId, agentRequestId: freshId() }));
    await service.ports.clock.advance(5 + LEASE_SECS - 10);
    await service.ports.ledger.sweep();
    expect(outcomes(await settle(market, items.slice(0, 2)))).toEqual(["2", "2"]);
    await service.ports.clock.advance(11);
    await service.ports.ledger.sweep();
    expect(await balanceOf(market)).toEqual({ balance: 94n, held: 0n });
    expect(outcomes(await settle(market, items))).toEqual(["2", "2", "conflict"]);
    expect(await balanceOf(market)).toEqual({ balance: 94n, held: 0n });
  });

  test("a lease is no request: it is not listed, settled whole, or another builder's", async () => {
    const market = await open100();
    const other = await createMarket(service);
    const { leaseId = "" } = await lend(market, 10);
    const { requests, facilitator } = market.builder.payments;
    const listed = await requests.listRequests({});
    expect(listed.items.map(({ agentRequestId }) => agentRequestId)).not.toContain(leaseId);
    await expect(
      facilitator.settlePermissions({ ...questionOf(market), agentRequestId: leaseId }),
    ).rejects.toMatchObject({ code: "idempotency_conflict" });
    await expect(requests.settleRequest(leaseId)).rejects.toThrow();
    const [foreign] = await settle(other, [{ leaseId, agentRequestId: freshId() }]);
    expect(foreign).toMatchObject({ success: false, errorReason: "conflict" });
    expect((await facilitator.releasePermissions({ agentRequestId: leaseId })).released).toBe("20");
    expect(await balanceOf(market)).toEqual({ balance: 98n, held: 0n });
  });

  test("the id of a lease that has paid for all its requests is no other request's", async () => {
    const market = await open100();
    const { leaseId = "" } = await lend(market, 2);
    await settle(
      market,
      [1, 2].map(() => ({ leaseId, agentRequestId: freshId() })),
    );
    await expect(
      market.builder.payments.facilitator.settlePermissions({
        ...questionOf(market),
        agentRequestId: leaseId,
      }),
    ).rejects.toMatchObject({ code: "idempotency_conflict" });
    expect(await balanceOf(market)).toEqual({ balance: 94n, held: 0n });
  });

  test("a lease counts against the day's budget as its requests, and what it returns is free again", async () => {
    const market = await open100();
    const { subscriber } = market;
    await subscriber.payments.budgets.setBudgets({
      limits: [{ period: "day", unit: "credits", limit: 14n }],
    });
    // Two credits were used before.
    const { leaseId = "", requests } = await lend(market, 10);
    expect(requests).toBe(6);
    expect((await lend(market, 10)).requests).toBe(0);
    const refused = await settle(market, [{ ...questionOf(market), agentRequestId: freshId() }]);
    expect(refused).toMatchObject([{ success: false, cause: "budget_per_day" }]);
    expect(outcomes(await settle(market, [{ leaseId, agentRequestId: freshId() }]))).toEqual(["2"]);
    await market.builder.payments.facilitator.releasePermissions({ agentRequestId: leaseId });
    expect((await lend(market, 10)).requests).toBe(5);
  });

  test("an account that approves requests by hand lends nothing", async () => {
    const market = await open100();
    await market.subscriber.payments.budgets.setBudgets({
      approval: { aboveCredits: 50n },
    });
    expect((await lend(market, 10)).requests).toBe(0);
    const { items } = await market.subscriber.payments.budgets.listApprovals({});
    expect(items).toEqual([]);
  });

  longTest(
    "T12: 300 leases, batches, settles and releases at once on one balance take what they settle",
    async () => {
      const credits = getFixedCreditsConfig(1_000n, 1n);
      const market = await createMarket(service, { credits, leaseSecs: 5 });
      await settle(market, [{ ...questionOf(market), agentRequestId: freshId() }]);
      const { facilitator } = market.builder.payments;
      let taken = 1;
      const race = async (index: number) => {
        if (index % 3 === 0) {
          const answers = await settle(market, [
            { ...questionOf(market), agentRequestId: freshId() },
          ]);
          taken += answers.filter(({ success }) => success).length;
          return;
        }
        const { leaseId, requests } = await lend(market, 6);
        if (leaseId === undefined) return;
        const items = Array.from({ length: requests + 1 }, () => ({
          leaseId,
          agentRequestId: freshId(),
        }));
        const half = index % 2 === 0 ? items : items.slice(0, 2);
        const [once, again] = await Promise.all([
          settle(market, half),
          settle(market, half),
          ...(index % 5 === 0 ? [facilitator.releasePermissions({ agentRequestId: leaseId })] : []),
        ]);
        const paid = (answers: Settlement[]) =>
          answers.flatMap((each) => (each.success ? [each.agentRequestId] : []));
        taken += new Set([...paid(once), ...paid(again)]).size;
        await facilitator.releasePermissions({ agentRequestId: leaseId });
      };
      await Promise.all(Array.from({ length: 300 }, (_, index) => race(index)));
      expect(taken).toBeGreaterThan(100);
      expect(await balanceOf(market)).toEqual({ balance: 1_000n - BigInt(taken), held: 0n });
    },
    60_000,
  );
});
