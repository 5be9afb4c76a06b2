import type { RowWriter } from "./row-writer.ts";

const DAY_MS = 86_400_000;

/** A plan, and what its orders are paid in. */
export type Sold = { planId: string; scheme: string; currency: string; owner: string };

type Call = {
  n: number;
  roll: (below: number) => number;
  at: string;
  plan: Sold;
  account: string;
  agentId?: string | undefined;
};

/** A request as the ledger, its gate, or both know it. */
export async function writeCall(
  write: RowWriter,
  { n, roll, at, plan, account, agentId = "" }: Call,
) {
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
export async function writeOrder(write: RowWriter, { n, roll, at, plan, account }: Call) {
  const order_id = `order-${n}`;
  const status = ["minted", "minted", "minted", "refunded", "declined"][roll(5)];
  // Some waited for days, for example for 3-D Secure.
  const createdAt = new Date(Date.parse(at) - (n % 3) * DAY_MS).toISOString();
  await write("orders", {
    order_id,
    account,
    plan_id: plan.planId,
    plan_version: 1,
    is_trial: false,
    ends_delegation: false,
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
    created_at: createdAt,
    charged_at: status === "declined" ? null : at,
    updated_at: at,
    checks: 0,
    reversed_amount: 0,
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
    seq: 1,
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
