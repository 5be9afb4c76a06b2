import {
  encodeHeader,
  getFixedCreditsConfig,
  type RequestRecord,
  X402_HEADERS,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { deleteOld } from "@/lib/adapters/db/figures/retention.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { testOutbound } from "@/lib/server/outbound/note-test-calls.ts";
import { freshId, requirementOf } from "@/lib/server/testing/operation-samples.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { inFull } from "@/lib/testing/in-full.ts";
import type { Outbound } from "../outbound-ports.ts";

describe.each(ruleStores())("activity on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let market: TestMarket;
  let stranger: TestParty;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
    market = await createMarket(service, { credits: getFixedCreditsConfig(1_000_000n, 1n) });
    stranger = await service.party();
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const facilitator = () => market.builder.payments.facilitator;
  const question = (agentRequestId: string) => ({
    paymentRequired: requirementOf(market),
    x402AccessToken: market.token,
    agentRequestId,
  });
  const hold = (id: string) =>
    facilitator().verifyPermissions({ ...question(id), reserve: true, maxAmount: 1n });
  const settle = (id: string) => facilitator().settlePermissions(question(id));
  const seen = (more: Record<string, unknown>) => ({
    at: new Date().toISOString(),
    method: "POST",
    path: "/ask?key=secret",
    planId: market.planId,
    agentId: market.agentId,
    httpStatus: 200,
    moneyStatus: "unknown",
    ...more,
  });
  const report = async (
    requests: Record<string, unknown>[],
    party = market.builder,
    batchId?: string,
  ): Promise<number> => {
    const answer = await service.call(party, "POST", "/requests/report", { requests, batchId });
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { accepted: number }).accepted;
  };
  const list = async (query: string, party = market.builder) => {
    const answer = await service.call(party, "GET", `/requests?${query}`);
    expect(answer.status).toBe(200);
    return (await answer.json()) as {
      items: RequestRecord[];
      nextCursor?: string;
      total: number;
    };
  };
  const read = async (id: string, party = market.builder) =>
    (await (await service.call(party, "GET", `/requests/${id}`)).json()) as RequestRecord;

  test("a settled request shows its money from the ledger and its path and times from the gate", async () => {
    const id = freshId();
    await hold(id);
    await settle(id);
    const times = { verifyMs: 2.5, workMs: 120, settleMs: 3 };
    await report([seen({ agentRequestId: id, moneyStatus: "settled", reason: "why", ...times })]);
    expect(await read(id)).toMatchObject({
      moneyStatus: "settled",
      credits: "1",
      payer: market.subscriber.address,
      method: "POST",
      path: "/ask",
      httpStatus: 200,
      reason: "why",
      ...times,
    });
    const toPayer = await read(id, market.subscriber);
    expect(toPayer).toMatchObject({ moneyStatus: "settled", path: "/ask" });
    expect(toPayer).not.toHaveProperty("reason");
  });

  test("a settled request shows what it was answered, and nothing of attempts that were not charged", async () => {
    const failed = { httpStatus: 500, moneyStatus: "not-charged", reason: "status_500", workMs: 7 };
    const repeated = { httpStatus: 409, moneyStatus: "refused", reason: "idempotency_conflict" };
    const charged = { httpStatus: 200, moneyStatus: "settled", workMs: 120 };
    for (const batches of [
      [[charged], [failed], [repeated]],
      [[failed], [repeated], [charged]],
      [[failed, charged, repeated]],
      [[failed], [repeated]],
    ]) {
      const id = freshId();
      await settle(id);
      for (const attempts of batches) {
        const rows = attempts.map((attempt) => seen({ agentRequestId: id, ...attempt }));
        expect(await report(rows)).toBe(1);
      }
      const record = await read(id);
      const isReported = batches.flat().includes(charged);
      expect(record).toMatchObject({ moneyStatus: "settled", method: "POST", path: "/ask" });
      expect(record).not.toHaveProperty("reason");
      expect([record.httpStatus, record.workMs]).toEqual(
        isReported ? [200, 120] : [undefined, undefined],
      );
      const found = async (status: string) =>
        (await list(`httpStatus=${status}&search=${id}`)).total;
      expect(await Promise.all(["200", "4xx", "5xx"].map(found))).toEqual([
        isReported ? 1 : 0,
        0,
        0,
      ]);
    }
  });

  test("a delivered request that is not settled yet is no refused one because its repeat was refused", async () => {
    const id = freshId();
    await hold(id);
    await report([seen({ agentRequestId: id, moneyStatus: "delivered-unsettled" })]);
    await report([seen({ agentRequestId: id, moneyStatus: "refused", httpStatus: 409 })]);
    expect(await read(id)).toMatchObject({ moneyStatus: "delivered-unsettled", httpStatus: 200 });
  });

  test("nothing is settled because a report says so", async () => {
    const never = freshId();
    const held = freshId();
    await hold(held);
    await report([
      seen({ agentRequestId: never, moneyStatus: "settled" }),
      seen({ agentRequestId: held, moneyStatus: "settled" }),
    ]);
    expect(await read(never)).toMatchObject({ moneyStatus: "unknown", credits: "0" });
    expect(await read(held)).toMatchObject({ moneyStatus: "unknown" });
    await facilitator().releasePermissions({ agentRequestId: held });
    await report([seen({ agentRequestId: held, moneyStatus: "delivered-unsettled" })]);
    expect(await read(held)).toMatchObject({ moneyStatus: "not-charged" });
  });

  test("a delivered request whose hold ran out is delivered-unsettled, and settled once it settles", async () => {
    const id = freshId();
    await hold(id);
    await report([seen({ agentRequestId: id, moneyStatus: "delivered-unsettled" })]);
    expect(await read(id)).toMatchObject({ moneyStatus: "delivered-unsettled", httpStatus: 200 });
    await settle(id);
    expect(await read(id)).toMatchObject({ moneyStatus: "settled" });
  });

  test("reports of one request are merged, in one batch and over several", async () => {
    const id = freshId();
    const accepted = await report([
      seen({ agentRequestId: id, moneyStatus: "challenged", httpStatus: 402, verifyMs: 1 }),
      seen({ agentRequestId: id, moneyStatus: "refused", httpStatus: 402, reason: "expired" }),
    ]);
    expect(accepted).toBe(1);
    await report([
      seen({ agentRequestId: id, moneyStatus: "refused", httpStatus: 402, workMs: 7 }),
    ]);
    expect(await read(id)).toMatchObject({
      moneyStatus: "refused",
      reason: "expired",
      verifyMs: 1,
      workMs: 7,
    });
  });

  test("a batch sent twice counts once, also for requests without an id", async () => {
    const search = "status=1&moneyStatus=challenged";
    const before = (await list(search)).total;
    const batch = freshId();
    const rows = [1, 2, 3].map(() => seen({ moneyStatus: "challenged", httpStatus: 402 }));
    await report(rows, market.builder, batch);
    await report(rows, market.builder, batch);
    expect((await list(search)).total).toBe(before + 3);
    await report(rows);
    expect((await list(search)).total).toBe(before + 6);
  });

  test("who owns neither the plan nor the agent reports nothing, and learns nothing", async () => {
    const id = freshId();
    const unknown = seen({ planId: "987654321", agentId: "987654321" });
    expect(await report([seen({ agentRequestId: id }), unknown], stranger)).toBe(0);
    expect(await list("", stranger)).toMatchObject({ items: [], total: 0 });
    await hold(id);
    await report([seen({ agentRequestId: id, httpStatus: 500 })], market.subscriber);
    expect(await read(id)).not.toHaveProperty("httpStatus");
  });

  test("a report of the future is of now, one older than a month is not kept", async () => {
    const [ahead, old] = [freshId(), freshId()];
    const accepted = await report([
      seen({ agentRequestId: ahead, at: "2999-01-01T00:00:00Z" }),
      seen({ agentRequestId: old, at: "2020-01-01T00:00:00Z" }),
    ]);
    expect(accepted).toBe(1);
    expect(Date.parse((await read(ahead)).at)).toBeLessThan(Date.now() + 60_000);
  });

  test("a report is bounded: 200 requests, known statuses, whole numbers", async () => {
    const many = Array.from({ length: 201 }, () => seen({}));
    for (const requests of [
      many,
      [],
      [seen({ moneyStatus: "paid" })],
      [seen({ httpStatus: 99 })],
    ]) {
      const answer = await service.call(market.builder, "POST", "/requests/report", { requests });
      expect(answer.status).toBe(422);
    }
  });

  test("text from outside is kept without control characters and without the query of a path", async () => {
    const id = freshId();
    await report([
      seen({ agentRequestId: id, path: "/a\u202eb\u0007c?token=secret#x", reason: "a\nb" }),
    ]);
    expect(await read(id)).toMatchObject({ path: "/a b c", reason: "a b" });
  });

  test("filters narrow by plan, agent, payer, several money statuses, HTTP class, time and id", async () => {
    const world = await createMarket(service, { credits: getFixedCreditsConfig(100n, 1n) });
    const { builder, planId, agentId } = world;
    const ids = [freshId(), freshId(), freshId(), freshId()] as const;
    const ask = (id: string) => ({
      paymentRequired: requirementOf(world),
      x402AccessToken: world.token,
      agentRequestId: id,
    });
    await builder.payments.facilitator.settlePermissions(ask(ids[0]));
    await builder.payments.facilitator.verifyPermissions({ ...ask(ids[1]), reserve: true });
    await builder.payments.facilitator.releasePermissions({ agentRequestId: ids[1] });
    const row = (id: string, more: object) =>
      seen({ planId, agentId, agentRequestId: id, ...more });
    await report(
      [
        row(ids[0], { httpStatus: 200 }),
        row(ids[1], { httpStatus: 500, moneyStatus: "not-charged" }),
        row(ids[2], { httpStatus: 402, moneyStatus: "challenged" }),
        row(ids[3], { httpStatus: 402, moneyStatus: "refused" }),
      ],
      builder,
    );
    const found = async (query: string) =>
      (await list(query, builder)).items.map(({ agentRequestId }) => agentRequestId).sort();
    const [a, b, c, d] = ids;
    expect(await found("")).toEqual([a, b, c, d]);
    expect(await found(`planId=${planId}`)).toEqual([a, b, c, d]);
    expect(await found("planId=1")).toEqual([]);
    expect(await found(`agentId=${agentId}`)).toEqual([a, b, c, d]);
    expect(await found("agentId=1")).toEqual([]);
    expect(await found(`payer=${world.subscriber.address}`)).toEqual([a, b]);
    expect(await found("moneyStatus=settled")).toEqual([a]);
    expect(await found("moneyStatus=challenged,refused")).toEqual([c, d]);
    expect(await found("moneyStatus=settled,not-charged,refused")).toEqual([a, b, d]);
    expect(await found("httpStatus=4xx")).toEqual([c, d]);
    expect(await found("httpStatus=500")).toEqual([b]);
    expect(await found(`search=${d.slice(-6)}`)).toEqual([d]);
    expect(await found("until=2026-01-01T00:00:00Z")).toEqual([]);
    expect(await found("since=2026-01-01T00:00:00Z&role=builder")).toEqual([a, b, c, d]);
    const paid = await list("role=subscriber", world.subscriber);
    expect(paid.items.map(({ agentRequestId }) => agentRequestId).sort()).toEqual([a, b]);
    expect(paid.total).toBe(2);
    const none = await list("role=subscriber&moneyStatus=challenged", world.subscriber);
    expect(none).toMatchObject({ items: [], total: 0 });
    const wrong = await service.call(builder, "GET", "/requests?moneyStatus=paid");
    expect(wrong.status).toBe(422);
  });

  test("figures: the series, the funnel and home agree with the list", async () => {
    const world = await createMarket(service, { credits: getFixedCreditsConfig(100n, 2n) });
    const { builder, subscriber, planId, agentId } = world;
    const ask = (id: string, token = world.token) => ({
      paymentRequired: requirementOf(world),
      x402AccessToken: token,
      agentRequestId: id,
    });
    const tester = await service.party({ testOf: builder.address });
    const test = await tester.payments.x402.getX402AccessToken(planId, agentId);
    await tester.payments.plans.orderPlan(planId);
    await builder.payments.facilitator.settlePermissions(ask(freshId()));
    await builder.payments.facilitator.settlePermissions(ask(freshId()));
    await builder.payments.facilitator.settlePermissions(ask(freshId(), test.accessToken));
    const failed = freshId();
    await builder.payments.facilitator.verifyPermissions({ ...ask(failed), reserve: true });
    await builder.payments.facilitator.releasePermissions({ agentRequestId: failed });
    const row = (more: object) => seen({ planId, agentId, ...more });
    const unsettled = freshId();
    await report(
      [
        row({ moneyStatus: "challenged", httpStatus: 402 }),
        row({ moneyStatus: "challenged", httpStatus: 402 }),
        row({ moneyStatus: "refused", httpStatus: 402 }),
        row({ moneyStatus: "delivered-unsettled", agentRequestId: unsettled }),
      ],
      builder,
    );
    for (const [range, buckets] of [
      ["24h", 24],
      ["7d", 28],
      ["30d", 30],
    ] as const) {
      const series = await builder.figures.getActivitySeries({ range });
      expect(series.buckets).toHaveLength(buckets);
      expect(series.totals).toEqual({
        free: 0,
        challenged: 2,
        refused: 1,
        settled: 2,
        "delivered-unsettled": 1,
        "not-charged": 1,
        unknown: 0,
      });
      expect(series.buckets.at(-1)?.counts).toEqual(series.totals);
      const all = await builder.figures.getActivitySeries({ range, includeTest: true });
      expect(all.totals).toMatchObject({ challenged: 2, settled: 3 });
    }
    const { requests, plans } = builder.payments;
    const settled = { moneyStatus: "settled" };
    expect((await requests.listRequests({ ...settled })).total).toBe(2);
    expect((await requests.listRequests({ ...settled, includeTest: true })).total).toBe(3);
    expect((await requests.listRequests({ ...settled, payer: tester.address })).total).toBe(1);
    expect((await tester.payments.requests.listRequests({ role: "subscriber" })).total).toBe(1);
    expect((await plans.listSubscribers(planId)).total).toBe(1);
    expect((await plans.listSubscribers(planId, { includeTest: true })).total).toBe(2);
    const mine = await subscriber.figures.getActivitySeries({ role: "subscriber" });
    expect(mine.totals).toMatchObject({ settled: 2, "not-charged": 1, challenged: 0 });
    const none = await builder.figures.getActivitySeries({ planId: "1" });
    expect(none.totals).toMatchObject({ settled: 0, challenged: 0 });

    expect(await builder.figures.getFunnel()).toMatchObject({
      challenged: 2,
      refused: 1,
      verified: 4,
      notCharged: 1,
      delivered: 3,
      settled: 2,
    });
    const all = await builder.figures.getFunnel({ includeTest: true });
    expect(all).toMatchObject({ verified: 5, settled: 3 });

    const home = await builder.figures.getHome();
    expect(home.builder).toMatchObject({
      plans: 1,
      agents: 1,
      agentId: world.agentId,
      settled24h: 2,
      creditsEarned24h: "4",
      unsettled: 1,
      hasChallenged: true,
      hasSettled: true,
    });
    const withTests = await builder.figures.getHome({ includeTest: true });
    expect(withTests.builder).toMatchObject({ settled24h: 3, creditsEarned24h: "6" });
    expect((await subscriber.figures.getHome()).subscriber).toMatchObject({
      subscriptions: 1,
      settled24h: 2,
      creditsUsed24h: "4",
      unsettled: 0,
      hasSettled: true,
    });
    expect((await stranger.figures.getHome()).builder).toMatchObject({
      plans: 0,
      settled24h: 0,
      hasChallenged: false,
    });
  });

  test("402s that tests provoked are told from customers' by their reports, one to one", async () => {
    const { builder, planId, agentId, endpoint } = await createMarket(service);
    const { testCalls } = service.ports;
    const call = { planIds: ["7", planId], method: "POST", url: endpoint, durationMs: 3 };
    const funnel = async (includeTest = false) =>
      (await builder.figures.getFunnel({ includeTest })).challenged;
    const seen402 = (at = new Date(), path = "/ask") =>
      seen({
        planId,
        agentId,
        moneyStatus: "challenged",
        httpStatus: 402,
        at: at.toISOString(),
        path,
      });
    const later = (secs: number) => new Date(Date.now() - secs * 1000);

    // A customer's, long before; then three tests, reported after they were noted and before.
    await report([seen402(later(60))], builder);
    await Promise.all([testCalls.note(call), testCalls.note(call)]);
    expect([await funnel(), await funnel(true)]).toEqual([1, 1]);
    await report([seen402(), seen402(), seen402(), seen402(new Date(), "/other")], builder);
    expect([await funnel(), await funnel(true)]).toEqual([3, 5]);
    await testCalls.note(call);
    expect([await funnel(), await funnel(true)]).toEqual([2, 5]);
    // Of plans that are not of this service nothing is noted, and no test takes two reports.
    await testCalls.note({ ...call, planIds: ["7"] });
    await Promise.all([testCalls.match(builder.address), testCalls.match(builder.address)]);
    await report([seen402()], builder);
    expect([await funnel(), await funnel(true)]).toEqual([3, 6]);
    const { items } = await builder.payments.requests.listRequests();
    expect(items).toHaveLength(3);
  });

  test("a 402 of another site that names a builder's plan hides no request of theirs", async () => {
    const { builder, planId, agentId, endpoint } = await createMarket(service);
    const other = await createMarket(service);
    const served = "https://agent.example/threads/:id/:agentId/{run}";
    const api = {
      endpoints: [
        { verb: "POST", url: endpoint },
        { verb: "GET", url: served },
      ],
    };
    await builder.payments.agents.updateAgent(agentId, { agentApiAttributes: api });
    const offer = encodeHeader(requirementOf({ planId, agentId, endpoint }));
    const anywhere: Outbound = {
      async *send() {
        const headers: [string, string][] = [[X402_HEADERS.PAYMENT_REQUIRED, offer]];
        yield { type: "headers", status: 402, headers, ms: 1 };
      },
    };
    const outbound = testOutbound(anywhere, service.ports);
    const send = async (url: string, method = "POST", account = "visitor") => {
      for await (const _ of outbound.send({ account, method, url }));
    };
    const listed = async () => (await builder.payments.requests.listRequests()).items.length;
    const challenged = { planId, agentId, moneyStatus: "challenged", httpStatus: 402 };
    await report([seen({ ...challenged, path: "/ask" })], builder);

    for (const [url, method] of [
      ["https://elsewhere.example/ask"],
      ["https://agent.example:8443/ask"],
      ["http://agent.example/ask"],
      ["https://agent.example/other"],
      [endpoint, "GET"],
      [`https://agent.example/threads/1/${other.agentId}/2`, "GET"],
    ] as const) {
      await send(url, method);
      expect([url, await listed()]).toEqual([url, 1]);
    }
    await send(`${endpoint}?run=1`);
    expect(await listed()).toBe(0);
    const path = `/threads/1/${agentId}/2`;
    await report([seen({ ...challenged, method: "GET", path })], builder);
    expect(await listed()).toBe(1);
    await send(`https://AGENT.example${path}`, "get");
    expect(await listed()).toBe(0);

    // A route with a price asks for a plan that no agent lists; at an archived agent it is no test.
    await report([seen({ ...challenged, path: "/ask" })], builder);
    await builder.payments.agents.removePlanFromAgent(agentId, planId);
    await send(endpoint);
    expect(await listed()).toBe(0);
    await report([seen({ ...challenged, path: "/ask" })], builder);
    await builder.payments.agents.archiveAgent(agentId);
    await send(endpoint);
    expect(await listed()).toBe(1);

    // Before they register it, the builder checks a URL themself; no one else's checks of it are noted.
    await send("https://elsewhere.example/ask", "POST", other.builder.address);
    expect(await listed()).toBe(1);
    await send("https://elsewhere.example/ask", "POST", builder.address);
    expect(await listed()).toBe(0);
  });

  test("many requests are listed by page without a gap, each page in milliseconds", async () => {
    const count = inFull(10_000, 1_000);
    const held = 0.6 * count;
    const { builder, subscriber, planId, agentId, tokenId } = await createMarket(service);
    const busy = [builder.address, subscriber.address, planId, agentId, tokenId];
    // Rows as verify, settle and reports write them, a second apart, many of them in the same instant.
    await database.query(
      `insert into holds (request_key, builder, agent_request_id, account, plan_id, agent_id, jti, amount, state, scheme, created_at, expires_at, resolved_at)
       select $1 || '/bulk-held-' || lpad(n::text, 8, '0'), $1, 'bulk-held-' || lpad(n::text, 8, '0'), $2, $3, $4, $5, 1,
         case when n % 10 = 0 then 'released' else 'expired' end, 'svc:erc4337', app_now() - (n / 3) * interval '1 second', app_now(), app_now()
       from generate_series(1, ${held}) n`,
      busy,
    );
    await database.query(
      `insert into request_reports (request_key, builder, agent_request_id, at, method, path, plan_id, agent_id, http_status, money_status)
       select $1 || '/' || case when n <= ${held} then 'bulk-held-' else 'bulk-seen-' end || lpad(n::text, 8, '0'), $1,
         case when n <= ${held} then 'bulk-held-' else 'bulk-seen-' end || lpad(n::text, 8, '0'), app_now() - (n % 3000) * interval '1 second',
         'POST', '/ask', $2, $3, case when n <= ${held} then 200 else 402 end, case when n <= ${held} then 'unknown' else 'challenged' end
       from generate_series(1, ${count}) n`,
      [builder.address, planId, agentId],
    );
    await database.query("analyze", []);
    const ids = new Set<string>();
    let cursor: string | undefined;
    let last = "9999";
    let slowest = 0;
    do {
      const since = performance.now();
      const page = await list(`limit=100${cursor ? `&cursor=${cursor}` : ""}`, builder);
      slowest = Math.max(slowest, performance.now() - since);
      expect(page.total).toBe(count);
      for (const { agentRequestId, at } of page.items) {
        expect(at <= last).toBe(true);
        last = at;
        ids.add(agentRequestId);
      }
      cursor = page.nextCursor;
    } while (cursor);
    expect(ids.size).toBe(count);
    console.log(`${count} requests: slowest page of 100 ${slowest.toFixed(0)} ms`);
    const timed = async (query: string) => {
      const since = performance.now();
      const { total } = await list(query, builder);
      const ms = performance.now() - since;
      console.log(`${count} requests, ${query}: ${ms.toFixed(0)} ms`);
      expect(ms).toBeLessThan(1_000);
      return total;
    };
    expect(await timed("moneyStatus=not-charged")).toBe(0.1 * held);
    expect(await timed("moneyStatus=challenged")).toBe(count - held);
    expect(await timed("httpStatus=4xx&search=99")).toBeGreaterThan(0);
    const since = performance.now();
    await builder.figures.getActivitySeries({ range: "30d" });
    await builder.figures.getFunnel();
    console.log(
      `${count} requests, series and funnel: ${(performance.now() - since).toFixed(0)} ms`,
    );
    expect(slowest).toBeLessThan(1_000);
    await database.query("delete from holds where agent_request_id like 'bulk-held-%'", []);
  });

  /** A request that was delivered, and whose token was revoked before it was settled. */
  async function deliverUnpaid() {
    const own = await createMarket(service, { credits: getFixedCreditsConfig(10n, 1n) });
    const agentRequestId = freshId();
    const paymentRequired = requirementOf(own);
    const asked = { paymentRequired, x402AccessToken: own.token, agentRequestId };
    const calls = own.builder.payments.facilitator;
    const verify = (changed: object = {}) =>
      calls.verifyPermissions({ ...asked, ...changed, reserve: true, maxAmount: 1n });
    const told = { agentRequestId, moneyStatus: "delivered-unsettled", planId: own.planId };
    const notify = () => report([seen({ ...told, reason: "settlement_pending" })], own.builder);
    const refuse = async () => {
      await service.ports.clock.advance(400);
      await service.ports.ledger.sweep();
      await own.subscriber.payments.tokens.revokeToken(own.tokenId);
      expect(await calls.settlePermissions(asked)).toMatchObject({ success: false });
      await service.ports.refusals.flush();
    };
    return { own, verify, notify, refuse, read: () => read(agentRequestId, own.builder) };
  }

  test.each(["before", "after"])(
    "why a delivered request is never paid is known, also where its gate reports it %s it was refused",
    async (order) => {
      const { verify, notify, refuse, read } = await deliverUnpaid();
      await verify();
      const steps = order === "before" ? [notify, refuse, notify] : [refuse, notify, notify];
      for (const step of steps) await step();
      const known = { moneyStatus: "delivered-unsettled", cause: "token_revoked" };
      expect(await read()).toMatchObject(known);
    },
  );

  test("a request that was refused before it was verified is not delivered with that cause", async () => {
    const { own, verify, notify, read } = await deliverUnpaid();
    const { agentId } = await own.builder.payments.agents.registerAgent(
      { name: "Of no plan" },
      { endpoints: [], agentDefinitionUrl: "https://agent.example/other.json" },
      [],
    );
    const paymentRequired = requirementOf({ ...own, agentId });
    expect(await verify({ paymentRequired })).toMatchObject({ isValid: false });
    await service.ports.refusals.flush();
    expect(await read()).toMatchObject({ moneyStatus: "refused" });
    await service.ports.clock.advance(1);
    await verify();
    await notify();
    const pending = { moneyStatus: "delivered-unsettled", cause: "settlement_pending" };
    expect(await read()).toMatchObject(pending);
  });

  test("reports are kept for a month", async () => {
    const id = freshId();
    await report([seen({ agentRequestId: id, moneyStatus: "refused" })]);
    await service.ports.clock.advance(29 * 86_400);
    while ((await deleteOld(database, { reports: 30, deliveries: 0, mails: 0, events: 0 })) > 0);
    expect(await read(id)).toMatchObject({ moneyStatus: "refused" });
    await service.ports.clock.advance(2 * 86_400);
    while ((await deleteOld(database, { reports: 30, deliveries: 0, mails: 0, events: 0 })) > 0);
    expect((await service.call(market.builder, "GET", `/requests/${id}`)).status).toBe(404);
    expect(await report([seen({ agentRequestId: id })])).toBe(1);
    expect(await read(id)).toMatchObject({ moneyStatus: "unknown" });
  });
});
