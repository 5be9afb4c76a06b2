import {
  buildPaymentRequired,
  getCryptoPriceConfig,
  getDynamicCreditsConfig,
  getFiatPriceConfig,
  PaymentsError,
  type PlanPriceConfig,
} from "@turnpike/payments/protocol";
import { afterAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, testStores } from "@/lib/adapters/db/testing/stores.ts";
import { pretendCards, testDeployment } from "@/lib/server/testing/pretend-rail.ts";
import {
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { inFull, longTest } from "@/lib/testing/in-full.ts";
import { createRandom, type Random } from "@/lib/testing/seeded-random.ts";
import { orderPlan } from "../orders/orders.ts";
import { refreshOrder, resolveOrders } from "../orders/resolve-orders.ts";
import { settlePermissions } from "../permissions/settle-permissions.ts";
import type { Ports } from "../ports.ts";
import { dying } from "../testing/dying.ts";
import { createPayout } from "./payouts.ts";
import {
  acceptRefundRequest,
  createRefund,
  declineRefundRequest,
  requestRefund,
} from "./refunds.ts";
import { resolvePayouts } from "./resolve-payouts.ts";
import { resolveRefunds } from "./send-refunds.ts";
import { createPretendWorld, type PretendWorld } from "./testing/pretend-world.ts";
import { createWithdrawal, resolveWithdrawals } from "./withdrawals.ts";

/** `SEED=7 npm run proof -- money-life` replays a run; `STEPS=1000` makes it shorter. */
const SEED = Number(process.env.SEED ?? 1);
const STEPS = Number(process.env.STEPS ?? inFull(100_000, 80));
/** Each market has a separate database for so many: the time of a step grows with the rows that are there. */
const MARKET_STEPS = 2_500;
const AT_ONCE = inFull(6, 1);
const SHOPS = 4;
const FUNDS = 10n ** 15n;
const OUTSIDE = "0x00000000000000000000000000000000000000Ad";

/** Where a process may be killed, by what it does. */
const MONEY_BACK = ["refunds.open", "refunds.note", "rails.refundPart", "rails.lookUp"];
const DEATHS = {
  order: ["orders.reserve", "orders.markCharging", "rails.charge", "orders.mint", "orders.decline"],
  settle: ["ledger.settle", "orders.reserveTopUp", "rails.charge", "orders.mint"],
  refund: [...MONEY_BACK, "rails.listRefunds"],
  ask: [...MONEY_BACK, "refunds.request", "refunds.decline"],
  chargeback: [
    "rails.lookUp",
    "disputes.write",
    "orders.reverse",
    "orders.reinstate",
    "rails.listRefunds",
  ],
  payOut: [
    ...["begin", "noteTransfer", "moveOn", "beginReturn", "fail"].map((name) => `payouts.${name}`),
    ...["transfer", "payOut", "readPayout", "takeBack"].map((name) => `payoutProcessor.${name}`),
  ],
  withdraw: ["money.beginWithdrawal", "accountPayments.pay"],
};

type Plan = { planId: string; kind: "card" | "chain" };
type Shop = {
  builder: TestParty;
  buyers: TestParty[];
  plans: Plan[];
  agentId: string;
  endpoint: string;
  /** Paid orders, newest last, and tokens by buyer and plan. */
  orders: { orderId: string; buyer: TestParty; kind: Plan["kind"] }[];
  tokens: Map<string, string>;
};

/** The ledger's sums of a builder, in millionths. $1 the builder. */
const LEDGER = `select
  (select coalesce(sum(payable_sign(kind) * amount), 0) from payables where owner = $1) as owed,
  (select coalesce(sum(amount), 0) from payouts where account = $1 and state <> 'failed') as "paidOut",
  (select coalesce(sum(amount), 0) from payouts where account = $1 and state <> 'failed' and transfer_reference is not null) as transferred,
  (select coalesce(sum(o.price), 0) from orders o join plans p on p.plan_id = o.plan_id
    where p.owner = $1 and not o.is_collected and o.status in ('minted', 'refunded')) as sold,
  (select coalesce(sum(amount), 0) from refunds where owner = $1 and currency = 'usdc' and state = 'paid') as refunded,
  (select coalesce(sum(amount), 0) from account_payments where account = $1 and kind = 'withdrawal' and state = 'paid') as withdrawn,
  (select count(*) from refunds where owner = $1 and state = 'open')
    + (select count(*) from payouts where account = $1 and state in ('open', 'returning'))
    + (select count(*) from account_payments where account = $1 and state = 'open')
    + (select count(*) from orders o join plans p on p.plan_id = o.plan_id where p.owner = $1
        and (o.status in ('reserved', 'charging') or o.refund_state = 'owed')) as open`;
type Sums = Record<
  "owed" | "paidOut" | "transferred" | "sold" | "refunded" | "withdrawn",
  bigint
> & {
  open: number;
};

// In full on one store, the one with the machine's cores.
describe.each(testStores().slice(-1))("the life of money, $name", ({ open }) => {
  const databases: Database[] = [];
  afterAll(() => Promise.all(databases.map((database) => database.close())));

  /** Builders that sell by card and on chain, their buyers, and the world outside. */
  async function openMarket(
    random: Random,
    { shops: count, buyers }: { shops: number; buyers: number },
  ) {
    const database = await open();
    databases.push(database);
    const owners = new Map<string, string>();
    const world = createPretendWorld(database, {
      random,
      ownerOf: (planId) => owners.get(planId) ?? "",
    });
    const service = createTestService(database, {
      rails: world.rails,
      cards: pretendCards,
      moneyOut: { ...world.moneyOut, withdrawalWaitSecs: 0 },
    });
    const shops: Shop[] = [];
    for (let n = 0; n < count; n += 1) {
      const shop = await openShop(service, buyers);
      for (const { planId } of shop.plans) owners.set(planId, shop.builder.address);
      for (const { address } of [shop.builder, ...shop.buyers]) {
        world.balances.set(address.toLowerCase(), FUNDS);
      }
      shops.push(shop);
    }
    return { database, world, service, shops };
  }

  type Market = Awaited<ReturnType<typeof openMarket>>;

  /** Looks at everything that is open until nothing is. */
  async function recover({ service, database, world }: Market, { builder }: Shop): Promise<Sums> {
    world.setFaults(false);
    for (let round = 0; round < 12; round += 1) {
      const [sums] = await database.query<Sums>(LEDGER, [builder.address]);
      if (sums && Number(sums.open) === 0) return sums;
      const { ports } = service;
      await ports.clock.advance(301);
      await resolveOrders(ports);
      await resolveRefunds(ports);
      await resolvePayouts(ports);
      await resolveWithdrawals(ports);
    }
    throw new Error(`Something of ${builder.address} stays open.`);
  }

  /** Money in is money out and money held, in each currency; the ledger, the processor and the chain agree. */
  async function expectMoneyIn(market: Market, shop: Shop, about: string): Promise<void> {
    const sums = await recover(market, shop);
    const { address } = shop.builder;
    const { world } = market;
    const ledger = {
      usd: sums.owed + sums.paidOut,
      transferred: sums.transferred,
      usdc: FUNDS + sums.sold - sums.refunded - sums.withdrawn,
    };
    const outside = {
      usd: world.kept(address),
      transferred: world.transferred(address),
      usdc: world.balances.get(address.toLowerCase()) ?? 0n,
    };
    expect(ledger, about).toEqual(outside);
  }

  test(
    `${STEPS} random steps with crashes at every point: money in is money out and money held`,
    async () => {
      const counts: Record<string, number> = {};
      /** One market's part of the steps. */
      const live = async (shard: number) => {
        const random = createRandom(SEED * 1_000 + shard);
        const market = await openMarket(random, { shops: SHOPS, buyers: 3 });
        const steps = Math.min(MARKET_STEPS, STEPS - shard * MARKET_STEPS);
        for (let step = 0; step < steps; step += 1) {
          const shop = random.pick(market.shops);
          const turn = random.pick(TURNS);
          const death = {
            step: random.pick(DEATHS[turn]),
            when: random.pick(["before", "after"] as const),
          };
          const { ports } = market.service;
          market.world.setFaults(random.chance(50));
          const now = random.chance(30) ? dying(ports, death) : ports;
          const end = await ACTS[turn]({ market, shop, random, ports: now }).catch(nameOf);
          counts[end] = (counts[end] ?? 0) + 1;
          await expectMoneyIn(market, shop, `seed ${SEED}, market ${shard}, step ${step}`);
        }
        expect(await brokenRules(market.database)).toEqual([]);
        await market.database.close();
        databases.splice(databases.indexOf(market.database), 1);
      };
      const shards = Array.from({ length: Math.ceil(STEPS / MARKET_STEPS) }, (_, shard) => shard);
      const next = () => shards.shift();
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          for (let shard = next(); shard !== undefined; shard = next()) await live(shard);
        }),
      );
      console.log(`money life: seed ${SEED}, ${STEPS} steps, 0 lost, 0 doubled`, counts);
    },
    inFull(3_600_000, 60_000),
  );

  longTest(
    "refund, settle, chargeback and payout of the same orders at once have one outcome each",
    async () => {
      const random = createRandom(SEED);
      const count = inFull(75, 15);
      const market = await openMarket(random, { shops: 1, buyers: count });
      const shop = market.shops[0] as Shop;
      const { service, world, database } = market;
      const { ports } = service;
      const card = shop.plans.find(({ kind }) => kind === "card") as Plan;
      const sold = await Promise.all(
        shop.buyers.map(async (buyer) => {
          const { planId } = card;
          const { orderId } = await orderPlan({ ...buyer.context, ports }, { planId });
          return { orderId, buyer, token: await tokenOf(shop, buyer, card) };
        }),
      );
      for (const { orderId } of sold) world.dispute(orderId);
      const { context } = shop.builder;
      const all = sold.flatMap(({ orderId, token }) => [
        () => createRefund(context, { orderId, idempotencyKey: orderId }),
        () => settlePermissions(context, settleInput(shop, card, token, `race-${orderId}`)),
        () => refreshOrder(ports, orderId),
        () => createPayout(context, { currency: "usd", idempotencyKey: `race-${orderId}` }),
      ]);
      const ends = await Promise.allSettled(all.map((work) => work()));
      const failed = ends.filter(
        (end) => end.status === "rejected" && !PaymentsError.is(end.reason),
      );
      expect(failed).toEqual([]);
      for (const { orderId } of sold) await refreshOrder(ports, orderId);
      await expectMoneyIn(market, shop, "after the race");
      const rows = await database.query<{ ends: number; settled: number }>(
        `select (o.reversed_amount > 0)::int + (select count(*)::int from refunds r where r.order_id = o.order_id and r.state = 'paid') as ends,
        (select count(*)::int from settlements s where s.agent_request_id = 'race-' || o.order_id) as settled
       from orders o where o.price > 0`,
        [],
      );
      expect(rows).toHaveLength(count);
      // The bank had taken each payment back, so the chargeback is the one outcome; a call was burned once or not at all.
      expect(rows.map((row) => row.ends)).toEqual(rows.map(() => 1));
      expect(rows.every(({ settled }) => settled <= 1)).toBe(true);
      expect(await brokenRules(database)).toEqual([]);
    },
    120_000,
  );
});

type Step = {
  market: { world: PretendWorld; service: TestService };
  shop: Shop;
  random: Random;
  ports: Ports;
};
const key = (random: Random) => `key-${random.below(2 ** 31)}-${random.below(2 ** 31)}`;
const nameOf = (cause: unknown): string =>
  PaymentsError.is(cause) ? cause.code : String(cause).replace(/\d+/g, "n").slice(0, 60);

/** What may happen next; each answers what it was. */
const ACTS: Record<keyof typeof DEATHS, (step: Step) => Promise<string>> = {
  order,
  settle,
  refund,
  ask,
  chargeback,
  payOut,
  withdraw,
};
const TURNS = [
  ...["order", "order", "settle", "settle", "refund", "refund"],
  ...["ask", "chargeback", "payOut", "withdraw"],
] as (keyof typeof ACTS)[];

async function order({ shop, random, ports }: Step): Promise<string> {
  const { planId, kind } = random.pick(shop.plans);
  const buyer = random.pick(shop.buyers);
  const input = { planId, idempotencyKey: key(random) };
  const { orderId } = await orderPlan({ ...buyer.context, ports }, input);
  shop.orders.push({ orderId, buyer, kind });
  return "ordered";
}

async function settle({ shop, random, ports }: Step): Promise<string> {
  const plan = random.pick(shop.plans);
  const buyer = random.pick(shop.buyers);
  const token = await tokenOf(shop, buyer, plan);
  const input = settleInput(shop, plan, token, key(random));
  const settled = await settlePermissions({ ...shop.builder.context, ports }, input);
  // Revoked by a chargeback: the next call has another.
  if (!settled.success) shop.tokens.delete(`${buyer.address} ${plan.planId}`);
  return settled.success ? "settled" : `not settled: ${settled.errorReason}`;
}

async function refund({ shop, random, ports }: Step): Promise<string> {
  const { orderId } = random.pick(shop.orders) ?? { orderId: "" };
  const amount = random.chance(30) ? {} : { amount: BigInt(1 + random.below(120)) * 10_000n };
  const input = { orderId, ...amount, idempotencyKey: key(random) };
  const { status } = await createRefund({ ...shop.builder.context, ports }, input);
  return `refund ${status}`;
}

async function ask({ shop, random, ports }: Step): Promise<string> {
  const { orderId, buyer } = random.pick(shop.orders) ?? {};
  if (!orderId || !buyer) return "nothing to ask for";
  const input = { orderId, reason: "Mistake", amount: BigInt(1 + random.below(50)) * 10_000n };
  const { refundId } = await requestRefund({ ...buyer.context, ports }, input);
  const context = { ...shop.builder.context, ports };
  const { status } = random.chance(60)
    ? await acceptRefundRequest(context, { refundId })
    : await declineRefundRequest(context, { refundId });
  return `request ${status}`;
}

async function chargeback({ market, shop, random, ports }: Step): Promise<string> {
  const { orderId, kind } = random.pick(shop.orders) ?? {};
  if (!orderId || kind !== "card" || !market.world.payments.has(orderId))
    return "nothing to dispute";
  const isWon = random.chance(40);
  if (isWon) market.world.win(orderId);
  else market.world.dispute(orderId, random.chance(50) ? 100 : 1 + random.below(99));
  // The webhook may never come, or die half-way; it is sent again.
  await refreshOrder(ports, orderId).catch(() => null);
  market.world.setFaults(false);
  await refreshOrder(market.service.ports, orderId);
  return isWon ? "dispute won" : "disputed";
}

async function payOut({ shop, random, ports }: Step): Promise<string> {
  const input = { currency: "usd", idempotencyKey: key(random) };
  const { status } = await createPayout({ ...shop.builder.context, ports }, input);
  return `payout ${status}`;
}

async function withdraw({ shop, random, ports }: Step): Promise<string> {
  const amount = BigInt(1 + random.below(1_000)) * 10_000n;
  const input = { currency: "usdc", amount, to: OUTSIDE, idempotencyKey: key(random) } as const;
  const { status } = await createWithdrawal({ ...shop.builder.context, ports }, input);
  return `withdrawal ${status}`;
}

/** Ten credits for 1.00, by card and on chain. */
async function openShop(service: TestService, count: number): Promise<Shop> {
  const builder = await service.party();
  const buyers = await Promise.all(Array.from({ length: count }, () => service.party()));
  const { plans: registry, agents } = builder.payments;
  const { plans, usdc = plans } = testDeployment();
  const register = async (price: PlanPriceConfig) =>
    (
      await registry.registerCreditsPlan(
        { name: "Ten" },
        price,
        getDynamicCreditsConfig(10n, 1n, 10n),
      )
    ).planId;
  const card = await register(getFiatPriceConfig(1_000_000n, builder.address, "USD"));
  const chain = await register(getCryptoPriceConfig(1_000_000n, builder.address, usdc));
  const endpoint = "https://agent.example/ask";
  const { agentId } = await agents.registerAgent(
    { name: "Reader" },
    { endpoints: [{ POST: endpoint }], agentDefinitionUrl: "https://agent.example/openapi.json" },
    [card, chain],
  );
  await builder.payments.money.createPayoutAccount({});
  await builder.money.addWithdrawalAddress({ address: OUTSIDE });
  return {
    builder,
    buyers,
    plans: [
      { planId: card, kind: "card" },
      { planId: chain, kind: "chain" },
    ],
    agentId,
    endpoint,
    orders: [],
    tokens: new Map(),
  };
}

/** A token that lasts, with a delegation that tops up. */
async function tokenOf(shop: Shop, buyer: TestParty, { planId, kind }: Plan): Promise<string> {
  const known = shop.tokens.get(`${buyer.address} ${planId}`);
  if (known) return known;
  const { accessToken } = await buyer.payments.x402.getX402AccessToken(planId, shop.agentId, {
    ...(kind === "card" && {
      scheme: "svc:card-delegation",
    }),
    delegationConfig: {
      ...(kind === "card" && { providerPaymentMethodId: `pm_${buyer.address}`, currency: "usd" }),
      spendingLimitCents: 1_000_000n,
      durationSecs: 3 * 365 * 86_400,
    },
    redemptionLimit: 1_000_000,
  });
  shop.tokens.set(`${buyer.address} ${planId}`, accessToken);
  return accessToken;
}

const settleInput = (
  shop: Shop,
  { planId, kind }: Plan,
  x402AccessToken: string,
  agentRequestId: string,
) => ({
  paymentRequired: buildPaymentRequired({
    planId,
    agentId: shop.agentId,
    endpoint: shop.endpoint,
    httpVerb: "POST",
    ...(kind === "card" && { scheme: "svc:card-delegation" }),
  }),
  x402AccessToken,
  agentRequestId,
});
