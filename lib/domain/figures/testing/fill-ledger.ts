import {
  getCryptoPriceConfig,
  getErc20PriceConfig,
  getFiatPriceConfig,
  getFixedCreditsConfig,
} from "@turnpike/payments/protocol";
import type { Database } from "@/lib/adapters/db/client.ts";
import type { TestParty, TestService } from "@/lib/server/testing/test-service.ts";
import { createRowWriter } from "./row-writer.ts";
import { type Sold, writeCall, writeOrder } from "./write-calls.ts";

const RECEIVER = "0x000000000000000000000000000000000000dEaD";
const SPAN_MS = 70 * 86_400_000;

export type LedgerSize = { plans: number; delegations: number; calls: number };
export type FilledLedger = { now: Date; sellers: TestParty[]; buyers: TestParty[] };

/** Numbers that look random and are the same in every run. */
export function createDice(seed = 7) {
  let state = seed;
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/**
 * Two sellers who also buy from each other, plans in four currencies, a test customer among the buyers, and seventy days
 * of orders, calls and delegations. Rows are written directly: what is proven is how they are added up.
 */
export async function fillLedger(
  database: Database,
  service: TestService,
  size: LedgerSize,
): Promise<FilledLedger> {
  const parties = await Promise.all(Array.from({ length: 7 }, () => service.party()));
  const sellers = parties.slice(0, 2);
  const buyers = parties;
  const sold = await sellPlans(database, {
    service,
    sellers,
    buyer: parties[6],
    plans: size.plans,
  });
  const [seller, , tester] = parties;
  await database.query("update accounts set test_of = $1 where address = $2", [
    seller?.address,
    tester?.address,
  ]);
  await delegate(database, parties, size.delegations);
  const now = await service.ports.clock.now();
  const agents = await Promise.all(sellers.map(registerAgents));
  const write = createRowWriter(database);
  const roll = createDice();
  const at = () => new Date(now.getTime() - roll(SPAN_MS)).toISOString();
  for (let n = 0; n < size.calls; n++) {
    const plan = sold[roll(sold.length)] as Sold;
    const account = (buyers[roll(buyers.length)] as TestParty).address;
    const ids = agents[sellers.findIndex(({ address }) => address === plan.owner)] ?? [];
    await writeCall(write, {
      n,
      roll,
      at: at(),
      plan,
      account,
      agentId: ids[roll(ids.length + 1)],
    });
    if (n % 4 === 0) await writeOrder(write, { n, roll, at: at(), plan, account });
  }
  await write.flush();
  await balance(database);
  await refundOrders(database);
  return { now, sellers, buyers };
}

const registerAgents = async ({ payments }: TestParty) => {
  const register = (name: string) =>
    payments.agents.registerAgent(
      { name },
      { endpoints: [{ POST: `https://agent.example/${crypto.randomUUID()}` }] },
    );
  return [(await register("Reader")).agentId, (await register("Writer")).agentId];
};

type Market = {
  service: TestService;
  sellers: TestParty[];
  buyer: TestParty | undefined;
  plans: number;
};

/** One plan for each currency, bought once, then copied. */
async function sellPlans(database: Database, { service, sellers, buyer, plans }: Market) {
  const usdc = [...service.ports.stableTokens.keys()][0] ?? "";
  const prices = [
    getErc20PriceConfig(2_000_000n, usdc, RECEIVER),
    getFiatPriceConfig(5_000_000n, RECEIVER),
    getFiatPriceConfig(7_000_000n, RECEIVER, "EUR"),
    getCryptoPriceConfig(5_000n, RECEIVER),
  ];
  const [first, second] = sellers;
  const owners = [...prices.map((price) => [first, price] as const), [second, prices[0]] as const];
  for (const [owner, price] of owners) {
    if (!owner || !price || !buyer) continue;
    const { planId } = await owner.payments.plans.registerCreditsPlan(
      { name: `Plan ${price.isCrypto}` },
      price,
      getFixedCreditsConfig(30n),
    );
    await buyer.payments.plans.orderPlan(planId);
  }
  const copies = `generate_series(1, $1::int) n where n % (select count(*) from plans) = (
    select count(*) from plans q where q.plan_id < p.plan_id)`;
  const id = "p.plan_id || lpad(n::text, 3, '0')";
  await database.query(
    `with made as (insert into plans select (jsonb_populate_record(p, jsonb_build_object('plan_id', ${id}, 'nonce', null))).* from plans p, ${copies} returning 1)
     insert into plan_versions select (jsonb_populate_record(v, jsonb_build_object('plan_id', ${id}))).* from plan_versions v join plans p on p.plan_id = v.plan_id, ${copies}`,
    [plans - owners.length],
  );
  return database.query<Sold>(
    `select p.plan_id as "planId", p.owner, o.scheme, o.currency from plans p
     join lateral (select * from orders o where p.plan_id like o.plan_id || '%' limit 1) o on true order by 1`,
    [],
  );
}

/** Makes each balance what its transfers come to: what was used without being bought was restored, and what was not used is left. */
async function balance(database: Database) {
  // Calls are of any plan, also of one that their payer never ordered.
  await database.query(
    `insert into balances (account, plan_id, available, held, plan_version, seq, hash)
     select distinct account, plan_id, 0, 0, 1, 1, ''::bytea from transfers on conflict do nothing`,
    [],
  );
  const apart = `select b.account, b.plan_id, b.available + b.held
      - sum(case t.kind when 'mint' then t.amount when 'hold' then 0 when 'void' then 0 else -t.amount end) as more
    from balances b join transfers t using (account, plan_id) group by b.account, b.plan_id`;
  await database.query(
    `with apart as (${apart}), restored as (
       insert into transfers (account, plan_id, seq, kind, debit, credit, amount, ref, created_at, hash)
       select account, plan_id, 1000000, 'restore', 'refunded', 'available', more, '', app_now(), '' from apart where more > 0
     ) update balances b set available = b.available - a.more from apart a
       where a.account = b.account and a.plan_id = b.plan_id and a.more < 0`,
    [],
  );
}

/** Refunded orders were charged back or refunded in two parts; of every fourth paid one, a part was refunded or requested. */
async function refundOrders(database: Database) {
  await database.query(
    `update orders set reversed_amount = price where status = 'refunded' and hashtext(order_id) % 2 = 0`,
    [],
  );
  await database.query(
    `insert into refunds (refund_id, order_id, account, owner, plan_id, scheme, currency, amount, credits, state, made_by, fingerprint, created_at, updated_at)
     select o.order_id || '-' || part, o.order_id, o.account, p.owner, o.plan_id, o.scheme, o.currency,
       case when o.status = 'minted' then floor(o.price / 5) when part = 1 then o.price - 100 else 100 end, 0,
       case when o.status = 'minted' then (array['open', 'paid', 'requested', 'refused'])[part] else 'paid' end, 'builder', '', o.created_at, o.created_at
     from orders o join plans p on p.plan_id = o.plan_id, generate_series(1, 4) part
     where (o.status = 'refunded' and o.reversed_amount = 0 and part <= 2) or (o.status = 'minted' and o.price > 0 and hashtext(o.order_id) % 4 = 0)`,
    [],
  );
}

/** Delegations of two accounts, by wallet and card: used up, nearly used, expiring, expired and revoked ones. */
async function delegate(database: Database, [one, two]: TestParty[], count: number) {
  for (const party of [one, two]) {
    for (const provider of ["erc4337", "card-processor"] as const) {
      await party?.payments.delegation.createDelegation({
        provider,
        spendingLimitCents: 1_000n,
        durationSecs: 30 * 86_400,
        ...(provider === "card-processor" && { currency: "eur" }),
      });
    }
  }
  await database.query(
    `insert into delegations select (jsonb_populate_record(d, jsonb_build_object('delegation_id', d.delegation_id || '-' || n,
       'spent_cents', n * 37 % 900, 'reserved_cents', n * 13 % 101, 'max_transactions', case when n % 3 = 0 then 10 end,
       'transaction_count', n % 11, 'created_at', d.created_at - n * interval '17 hours', 'expires_at', d.expires_at - n * interval '17 hours',
       'revoked_at', case when n % 7 = 0 then d.created_at end))).*
     from delegations d, generate_series(1, $1::int) n where d.account = any($2) and d.currency in ('usd', 'eur') and n % 4 = (
       select count(*) from delegations q where q.account = any($2) and q.delegation_id < d.delegation_id)`,
    [count - 4, [one?.address, two?.address]],
  );
}
