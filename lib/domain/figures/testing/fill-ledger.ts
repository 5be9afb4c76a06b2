import {
  getCryptoPriceConfig,
  getErc20PriceConfig,
  getFiatPriceConfig,
  getFixedCreditsConfig,
} from "@turnpike/payments/protocol";
import type { Database } from "@/lib/adapters/db/client.ts";
import type { TestParty, TestService } from "@/lib/server/testing/test-service.ts";
import { createRowWriter, type RowWriter } from "./row-writer.ts";

const RECEIVER = "0x000000000000000000000000000000000000dEaD";
const DAY_MS = 86_400_000;

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

type Sold = { planId: string; scheme: string; currency: string; owner: string };

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
  const at = () => new Date(now.getTime() - roll(70 * DAY_MS)).toISOString();
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

type Call = {
  n: number;
  roll: (below: number) => number;
  at: string;
  plan: Sold;
  account: string;
  agentId?: string | undefined;
};

/** A request as the ledger, its gate, or both know it. */
async function writeCall(write: RowWriter, { n, roll, at, plan, account, agentId = "" }: Call) {
  const agentRequestId = `sum-${n}`;
  const request = {
    request_key: `${plan.owner}/${agentRequestId}`,
    builder: plan.owner,
    agent_request_id: agentRequestId,
    plan_id: plan.planId,
    agent_id: agentId || null,
  };
  const paid = { ...request, account, jti: `token-${account}`, scheme: plan.scheme };
  const amount = 1 + roll(9);
  const hold = (state: string) =>
    write("holds", {
      ...paid,
      amount: amount + 2,
      plan_version: 1,
      state,
      created_at: at,
      expires_at: at,
      resolved_at: state === "held" ? null : at,
    });
  const report = (money_status: string, more: Record<string, unknown> = {}) =>
    write("request_reports", {
      ...request,
      at,
      method: "POST",
      path: `/${n % 3}`,
      http_status: money_status === "challenged" || money_status === "refused" ? 402 : 200,
      money_status,
      verify_ms: roll(50),
      work_ms: roll(900),
      settle_ms: roll(50),
      ...more,
    });
  const kind = roll(100);
  if (kind < 60) {
    if (kind < 50) await hold("posted");
    if (kind < 40) await report("unknown");
    const settlement_id = `settled-${n}`;
    await write("settlements", {
      ...paid,
      settlement_id,
      fingerprint: "",
      delegation_id: "",
      network: "",
      amount,
      remaining: 0,
      from_hold: kind < 50,
      order_tx: null,
      transaction: "",
      chain_status: "none",
      created_at: at,
    });
    return writeTransfer(write, { ...paid, n, kind: "post", amount, ref: settlement_id, at });
  }
  if (kind < 66) return hold("held").then(() => report("delivered-unsettled"));
  if (kind < 70)
    return hold("released").then(() => report("not-charged", { reason: "status_500" }));
  if (kind < 73) return hold("expired");
  if (kind < 75) return hold("held");
  if (kind < 83) {
    const cause = roll(2) === 0 ? "token_revoked" : "no_credits";
    return report("refused", { reason: "invalid_token", cause, payer: account });
  }
  if (kind < 95) return report("challenged");
  return report("free");
}

/** An order, and the credits it granted. */
async function writeOrder(write: RowWriter, { n, roll, at, plan, account }: Call) {
  const order_id = `order-${n}`;
  const status = ["minted", "minted", "minted", "refunded", "declined"][roll(5)];
  await write("orders", {
    order_id,
    account,
    plan_id: plan.planId,
    plan_version: 1,
    is_trial: false,
    status,
    scheme: plan.scheme,
    price: 1_000 + roll(9_000),
    currency: plan.currency,
    reserved_cents: 0,
    reserved_amount: 0,
    delegation_id: roll(2) === 0 ? "any" : null,
    fingerprint: "",
    attempt: 1,
    is_collected: false,
    created_at: at,
    updated_at: at,
    checks: 0,
  });
  if (status === "declined") return;
  const amount = 30;
  await writeTransfer(write, {
    account,
    plan_id: plan.planId,
    n,
    kind: "mint",
    amount,
    ref: order_id,
    at,
  });
  if (roll(6) === 0) {
    await writeTransfer(write, {
      account,
      plan_id: plan.planId,
      n,
      kind: "expire",
      amount: 3,
      ref: order_id,
      at,
    });
  }
  await write("balances", {
    account,
    plan_id: plan.planId,
    available: roll(30),
    held: roll(5),
    debt: 0,
    plan_version: 1,
    expires_at: [null, at, new Date(Date.parse(at) + 90 * DAY_MS).toISOString()][roll(3)],
    seq: 0,
    hash: "\\x00",
  });
}

type Transfer = {
  account: string;
  plan_id: string;
  n: number;
  kind: string;
  amount: number;
  ref: string;
  at: string;
};

const SEQ: Record<string, number> = { mint: 1, post: 2, expire: 3 };

const writeTransfer = (
  write: RowWriter,
  { account, plan_id, n, kind, amount, ref, at }: Transfer,
) =>
  write("transfers", {
    account,
    plan_id,
    seq: 1_000 + n * 4 + (SEQ[kind] ?? 0),
    kind,
    debit: "one",
    credit: "other",
    amount,
    ref,
    created_at: at,
    hash: "\\x00",
  });
