import { createHash } from "node:crypto";
import {
  type AccountEvent,
  EVENT_CATALOG,
  getErc20PriceConfig,
  getFiatPriceConfig,
  getFixedCreditsConfig,
  getFreePriceConfig,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { deleteOld } from "@/lib/adapters/db/figures/retention.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { requirementOf } from "@/lib/server/testing/operation-samples.ts";
import { pretendCards } from "@/lib/server/testing/pretend-rail.ts";
import { createSampleWorld, type SampleWorld } from "@/lib/server/testing/sample-world.ts";
import {
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

const ZERO = `0x${"00".repeat(32)}`;

/** As a consumer checks it, from the documentation alone. */
function hashOf({ previousHash, ...event }: AccountEvent): string {
  const { account, createdAt, data, sequence, type } = event;
  const sorted = Object.fromEntries(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1)));
  const text = JSON.stringify({ account, createdAt, data: sorted, sequence, type });
  const bytes = Buffer.concat([Buffer.from(previousHash.slice(2), "hex"), Buffer.from(text)]);
  return `0x${createHash("sha256").update(bytes).digest("hex")}`;
}

async function allEvents({ payments }: TestParty): Promise<AccountEvent[]> {
  const found: AccountEvent[] = [];
  for (;;) {
    const { items } = await payments.webhooks.listEvents({
      after: found.at(-1)?.id ?? "0",
      limit: 500,
    });
    if (items.length === 0) return found;
    found.push(...items);
  }
}

function expectChain(events: AccountEvent[]): void {
  let previous = ZERO;
  for (const [index, event] of events.entries()) {
    expect([event.sequence, event.previousHash]).toEqual([index + 1, previous]);
    expect(hashOf(event)).toBe(event.hash);
    previous = event.hash;
  }
}

describe.each(ruleStores())("events on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let world: SampleWorld;
  const sequence = async () => {
    while ((await service.ports.events.sequence()) > 0);
  };
  const typesOf = async (party: TestParty, from = 0) => {
    await sequence();
    return (await allEvents(party)).slice(from).map(({ type }) => type);
  };

  beforeAll(async () => {
    database = await open();
    service = createTestService(database, { cards: pretendCards });
    world = await createSampleWorld(service);
    await sequence();
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  test("both sides of a settled call get an event, numbered without a gap and chained", async () => {
    const { builder, subscriber, planId } = world;
    const before = [await allEvents(builder), await allEvents(subscriber)];
    const settlement = await builder.payments.facilitator.settlePermissions({
      paymentRequired: requirementOf(world),
      x402AccessToken: world.token,
      agentRequestId: "request-of-events-1",
    });
    expect(settlement.success).toBe(true);
    await sequence();
    for (const [index, party] of [builder, subscriber].entries()) {
      const events = await allEvents(party);
      expectChain(events);
      const [settled, ...more] = events.slice(before[index]?.length);
      expect(more).toEqual([]);
      expect(settled).toMatchObject({
        type: "request.settled",
        account: party.address,
        data: { agentRequestId: "request-of-events-1", planId, subscriber: subscriber.address },
      });
      expect("delegationId" in (settled?.data ?? {})).toBe(party === subscriber);
    }
  });

  test("a settlement's event is kept as its hash: its text is the settlement's row, and a changed row breaks the chain", async () => {
    const { builder } = world;
    const [settled] = (await allEvents(builder)).filter(({ type }) => type === "request.settled");
    const kept = "select data from events where account = $1 and sequence = $2";
    expect(await database.query(kept, [builder.address, settled?.sequence])).toEqual([
      { data: null },
    ]);
    const change = (by: number) =>
      database.query("update settlements set remaining = remaining + $2 where settlement_id = $1", [
        settled?.data.settlementId,
        by,
      ]);
    await change(1);
    expect(await brokenRules(database)).toContainEqual(expect.stringContaining("inv_events"));
    await change(-1);
    expect(await brokenRules(database)).toEqual([]);
  });

  test("every event of the sample world is of the catalogue and follows its schema", async () => {
    for (const party of [world.builder, world.subscriber]) {
      for (const event of await allEvents(party)) {
        const entry = EVENT_CATALOG[event.type as keyof typeof EVENT_CATALOG];
        expect(event.type in EVENT_CATALOG).toBe(true);
        expect(entry.data.safeParse(event.data)).toMatchObject({ success: true });
      }
    }
  });

  test("every example of the catalogue follows its schema", () => {
    for (const [type, { data, example }] of Object.entries(EVENT_CATALOG)) {
      expect([type, data.safeParse(example).success]).toEqual([type, true]);
    }
  });

  test("a change that is rolled back leaves no event", async () => {
    const count = (await allEvents(world.builder)).length;
    await database.orm
      .transaction(async (transaction) => {
        await transaction.execute(
          `update plans set updated_at = app_now() where plan_id = '${world.planId}'`,
        );
        throw new Error("rolled back");
      })
      .catch(() => {});
    expect(await typesOf(world.builder, count)).toEqual([]);
  });

  test("each kind of change has its event", async () => {
    const { payments } = world.builder;
    const from = (await allEvents(world.builder)).length;
    const { planId, agentId } = await payments.agents.registerAgentAndPlan(
      { name: "Told" },
      {},
      { name: "Told" },
      getFreePriceConfig(),
      getFixedCreditsConfig(10n),
    );
    await payments.plans.updatePlan(planId, { metadataAttributes: { name: "Told again" } });
    await payments.plans.archivePlan(planId);
    await payments.plans.restorePlan(planId);
    await payments.plans.orderPlan(planId);
    const { tokenId } = await payments.x402.getX402AccessToken(planId, agentId);
    await payments.tokens.revokeToken(tokenId);
    const types = await typesOf(world.builder, from);
    expect(
      types.filter((type) => /^(plan|agent|token|delegation|credits|order)\./.test(type)).sort(),
    ).toEqual(
      [
        "agent.created",
        "credits.granted",
        "delegation.created",
        "order.completed",
        "order.created",
        "plan.archived",
        "plan.created",
        "plan.restored",
        "plan.updated",
        "token.created",
        "token.revoked",
      ].sort(),
    );
    expect(types.indexOf("order.created")).toBeLessThan(types.indexOf("order.completed"));
  });

  test("an order's events name the currency that was paid", async () => {
    const { builder, subscriber } = world;
    const usdc = [...service.ports.stableTokens.keys()][0] ?? "";
    const prices = [
      getErc20PriceConfig(2_000_000n, usdc, builder.address),
      getFiatPriceConfig(2_000_000n, builder.address, "EUR"),
      getFiatPriceConfig(2_000_000n, builder.address),
    ];
    const from = (await allEvents(builder)).length;
    for (const price of prices) {
      const { planId } = await builder.payments.plans.registerCreditsPlan(
        { name: "Sold" },
        price,
        getFixedCreditsConfig(10n),
      );
      const { orderId } = await subscriber.payments.plans.orderPlan(planId);
      await database.query("update orders set status = 'refunded' where order_id = $1", [orderId]);
      await database.query("update orders set status = 'minted' where order_id = $1", [orderId]);
    }
    await sequence();
    const told = (await allEvents(builder))
      .slice(from)
      .flatMap(({ type, data }) => (type.startsWith("order.") ? `${type} ${data.currency}` : []));
    expect(told).toEqual(
      ["usdc", "eur", "usd"].flatMap((currency) =>
        ["completed", "refunded", "reinstated"].map((what) => `order.${what} ${currency}`),
      ),
    );
  });

  test("an id that the history does not have is refused, whatever its number", async () => {
    const { webhooks } = world.builder.payments;
    const last = (await allEvents(world.builder)).at(-1);
    for (const after of [`evt_1_${"0".repeat(16)}`, String((last?.sequence ?? 0) + 1)]) {
      await expect(webhooks.listEvents({ after })).rejects.toMatchObject({ code: "conflict" });
    }
    const { items, lastSequence } = await webhooks.listEvents({ after: last?.id ?? "" });
    expect([items, lastSequence]).toEqual([[], last?.sequence]);
  });

  test("T29: an event's id of another account is refused as an unknown one", async () => {
    const [theirs] = await allEvents(world.subscriber);
    const attempt = world.builder.payments.webhooks.listEvents({ after: theirs?.id ?? "" });
    await expect(attempt).rejects.toMatchObject({ code: "conflict" });
  });

  test("two replicas that number at once leave one chain", async () => {
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        world.builder.payments.facilitator.settlePermissions({
          paymentRequired: requirementOf(world),
          x402AccessToken: world.token,
          agentRequestId: `request-of-replicas-${n}`,
        }),
      ),
    );
    await Promise.all(Array.from({ length: 8 }, () => service.ports.events.sequence()));
    await sequence();
    expectChain(await allEvents(world.builder));
    expectChain(await allEvents(world.subscriber));
  });

  test("after a restored database each account is told before anything else", async () => {
    const before = await allEvents(world.builder);
    await database.query("update event_origin set origin = 'another copy'", []);
    await world.builder.payments.plans.updatePlan(world.planId, {
      metadataAttributes: { name: "After" },
    });
    await sequence();
    const [told, next] = (await allEvents(world.builder)).slice(before.length);
    const last = before.at(-1);
    expect(told).toMatchObject({
      type: "history.restored",
      data: { lastSequence: last?.sequence, lastHash: last?.hash },
    });
    expect(next?.type).toBe("plan.updated");
    await sequence();
    expect((await allEvents(world.builder)).length).toBe(before.length + 2);
  });

  test("events are deleted with age, and what is left is still proved complete", async () => {
    const builder = world.builder.payments;
    const rename = async (name: string) => {
      await builder.plans.updatePlan(world.planId, { metadataAttributes: { name } });
      await sequence();
    };
    await rename("Before");
    const before = await allEvents(world.builder);
    const [first, last] = [before[0], before.at(-1)];
    await expect(database.query("delete from events where sequence = 1", [])).rejects.toThrow(
      "append-only",
    );

    await service.ports.clock.advance(31 * 86_400);
    await rename("After");
    const deleteAged = async () => {
      const days = { reports: 0, deliveries: 0, mails: 0, events: 30 };
      while ((await deleteOld(database, days)) > 0);
    };
    await deleteAged();
    // What an endpoint waits for is kept.
    expect((await builder.webhooks.listEvents({})).items.length).toBeGreaterThan(1);
    await database.query("update webhook_deliveries set state = 'delivered'", []);
    await deleteAged();
    const { items, cut, lastSequence } = await builder.webhooks.listEvents({});
    expect(items.map(({ data }) => data.name)).toEqual(["After"]);
    expect([cut, lastSequence]).toEqual([
      { sequence: last?.sequence, hash: last?.hash },
      (last?.sequence ?? 0) + 1,
    ]);
    expect(items[0]?.previousHash).toBe(last?.hash);
    expectChain([...before, ...items]);

    // Who has all until the cut reads on without a gap; who lags behind it is told.
    expect((await builder.webhooks.listEvents({ after: last?.id ?? "" })).items).toEqual(items);
    await expect(builder.webhooks.listEvents({ after: first?.id ?? "" })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("deleted with age"),
    });
    await expect(
      database.query("delete from events where account = $1", [world.builder.address]),
    ).rejects.toThrow("append-only");
    await rename("Later");
    expectChain([...before, ...(await builder.webhooks.listEvents({})).items]);
    expect(await brokenRules(database)).toEqual([]);
  });
});
