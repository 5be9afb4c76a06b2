import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inFull } from "@/lib/testing/in-full.ts";
import type { Database } from "../client.ts";
import { createEvents } from "../events/events.ts";
import { brokenRules, ruleStores } from "../testing/stores.ts";
import { sumRequests } from "../testing/sum-requests.ts";
import { createFigures } from "./figures.ts";
import { statementOf } from "./request-rows.ts";
import { sumsStatement } from "./request-sums.ts";
import { UNPAID, unpaidStatement } from "./unpaid-causes.ts";

const STEPS = inFull(2_000, 120);
const HOUR_MS = 3_600_000;
const address = (letter: string) => `0x${letter.repeat(40)}`;
const BUILDERS = [address("a"), address("b")];
const PAYERS = [address("c"), address("d"), address("e"), BUILDERS[0] ?? ""];
const PATHS = ["/ask", "/draw"];
const REASONS = [null, "", "status_503", "its own words", "written off: twice", "no_credits"];
const CAUSES = [null, null, "no_credits", "wrong_plan"];
const STATUSES = ["challenged", "refused", "delivered-unsettled", "not-charged", "unknown", "free"];

/** Small numbers that are the same in every run. */
function createDice(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

describe.each(ruleStores())("sums by the hour, on $name", ({ open }) => {
  let database: Database;
  const run = (text: string, ...parameters: unknown[]) => database.query(text, parameters);

  beforeAll(async () => {
    database = await open();
    for (const account of new Set([...BUILDERS, ...PAYERS])) {
      await run(
        "insert into accounts (address, owner, created_at, test_of) values ($1, $1, now(), $2)",
        account,
        account === PAYERS[2] ? BUILDERS[0] : null,
      );
    }
  }, 60_000);
  afterAll(() => database.close());

  /** Counts and credits by status and hour: by sums, and request by request. */
  async function bothWays(account: string, filter: Parameters<typeof sumsStatement>[1]) {
    const cells = (requests: string, n: string, delivered: string) =>
      `select date_trunc('hour', at, 'UTC')::text as hour, status, ${n}::int as n, ${delivered}::int as delivered,
         sum(credits)::text as credits from ${requests} group by 1, 2 having ${n} <> 0 order by 1, 2`;
    const sums = sumsStatement(account, filter, (rows) => cells(rows, "sum(n)", "sum(delivered)"));
    const arrived =
      "count(*) filter (where status in ('settled', 'delivered-unsettled') or (status = 'unknown' and http_status between 200 and 299))";
    const each = statementOf(account, filter, (rows) => cells(rows, "count(*)", arrived));
    return [await database.query(...sums), await database.query(...each)];
  }

  /** Calls, payers, routes and the newest request of each cause: by sums, and request by request. */
  async function unpaidBothWays(account: string, filter: Parameters<typeof unpaidStatement>[1]) {
    const cells = (requests: string, n: string) =>
      `select date_trunc('hour', at, 'UTC')::text as hour, status, cause, ${n}::int as n from ${requests}
       group by 1, 2, 3 having ${n} <> 0 order by 1, 2, 3`;
    const newest = (requests: string) =>
      `select status, cause, account, route, plan_id, agent_id, max(at) as at, array_agg(distinct agent_request_id) as ids from (
         select *, max(at) over (partition by status, cause, account, route, plan_id, agent_id) as last from ${requests}) one
       where at = last group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6`;
    const each = { ...filter, moneyStatus: UNPAID };
    const ways = [
      unpaidStatement(account, filter, ({ counts }) => cells(counts, "sum(n)")),
      statementOf(account, each, (rows) => cells(rows, "count(*)")),
      unpaidStatement(account, filter, ({ seen }) => newest(seen)),
      statementOf(account, each, (rows) => newest(rows)),
    ];
    const rows = [];
    for (const way of ways) rows.push(await database.query(...way));
    return rows;
  }

  /** What public facts count as not settled: by sums, and by holds. */
  const publicBothWays = (account: string, since: Date) =>
    Promise.all([
      run(
        `select plan_id, case when is_agent_proven then agent_id end as agent_id, sum(n)::int as n
         from unpaid_sums_of($1, 'builder', unpaid_since($1, 'builder', $2::timestamptz)) where is_public and not is_test
         group by 1, 2 having sum(n) <> 0 order by 1, 2`,
        account,
        since.toISOString(),
      ),
      run(
        `select plan_id, agent_id, count(*)::int as n from holds h
         where builder = $1 and account <> builder and account <> $3 and state in ('released', 'expired')
           and created_at >= unpaid_since($1, 'builder', $2::timestamptz)
           and not exists (select 1 from settlements s where s.request_key = h.request_key) group by 1, 2 order by 1, 2`,
        account,
        since.toISOString(),
        PAYERS[2],
      ),
    ]);

  async function compare(roll: (below: number) => number): Promise<number> {
    let cells = 0;
    const since = new Date(Date.now() - roll(48) * HOUR_MS - roll(2) * roll(HOUR_MS));
    for (const role of ["builder", "subscriber"] as const) {
      for (const account of role === "builder" ? BUILDERS : PAYERS) {
        const filter = {
          role,
          since,
          includeTest: roll(2) === 0,
          ...(roll(3) === 0 && { planId: String(roll(2)) }),
          ...(roll(3) === 0 && { agentId: `agent-${roll(2)}` }),
        };
        const [sums, each] = await bothWays(account, {
          ...filter,
          ...(roll(3) === 0 && { moneyStatus: ["unknown", "settled"] as const }),
        });
        expect(sums).toEqual(each);
        const [counts, counted, newest, seen] = await unpaidBothWays(account, filter);
        expect(counts).toEqual(counted);
        expect(newest).toEqual(seen);
        cells += (each?.length ?? 0) + (counted?.length ?? 0) + (seen?.length ?? 0);
        if (role === "subscriber") continue;
        const [facts, holds] = await publicBothWays(account, since);
        expect(facts).toEqual(holds);
        cells += holds.length;
      }
    }
    return cells;
  }

  /** One random change, as the service's own statements make it; holds change as `holds.sql` changes them. */
  function createWorld(roll: (below: number) => number) {
    const keys: string[] = [];
    let made = 0;
    const agent = () => (roll(3) === 0 ? null : `agent-${roll(2)}`);
    const builderOf = (key: string) => key.split("/")[0] ?? "";
    const queue = (key: string) =>
      run("insert into request_changes (is_settled, refs) values (false, array[$1])", key);
    const report = (key: string, at: string) =>
      run(
        `insert into request_reports (request_key, builder, agent_request_id, at, method, path, plan_id, agent_id, http_status, money_status, payer, cause, reason)
         values ($1, $2, split_part($1, '/', 2), ${at}, 'POST', $9, $3, $4, $5, $6, $7, $8, $10)
         on conflict (request_key) do update set money_status = excluded.money_status, http_status = excluded.http_status, reason = excluded.reason,
           agent_id = coalesce(excluded.agent_id, request_reports.agent_id), cause = excluded.cause`,
        key,
        builderOf(key),
        String(roll(2)),
        agent(),
        roll(2) === 0 ? 200 : 500,
        STATUSES[roll(STATUSES.length)],
        roll(4) === 0 ? PAYERS[roll(PAYERS.length)] : null,
        CAUSES[roll(CAUSES.length)],
        PATHS[roll(PATHS.length)],
        REASONS[roll(REASONS.length)],
      );
    const steps: (() => Promise<unknown>)[] = [
      async function hold() {
        const key = `${BUILDERS[roll(2)]}/r${made++}`;
        keys.push(key);
        await run(
          `insert into holds (request_key, builder, agent_request_id, account, plan_id, agent_id, jti, amount, state, scheme, created_at, expires_at)
           values ($1, $2, split_part($1, '/', 2), $3, $4, $5, 'jti', $6, 'held', '', now() - $7::int * interval '1 minute', now())`,
          key,
          builderOf(key),
          PAYERS[roll(PAYERS.length)],
          String(roll(2)),
          agent(),
          1 + roll(9),
          roll(60 * 50),
        );
      },
      async function settle() {
        const key = roll(3) === 0 ? `${BUILDERS[roll(2)]}/r${made++}` : keys[roll(keys.length)];
        if (key === undefined) return;
        keys.push(key);
        const [written] = await database.query<{ key: string }>(
          `insert into settlements (request_key, builder, agent_request_id, settlement_id, fingerprint, account, plan_id, agent_id, jti,
             delegation_id, scheme, network, amount, remaining, from_hold, transaction, chain_status, created_at)
           select $1, $2, split_part($1, '/', 2), 's-' || $1, '', $3, $4, $5, 'jti', '', '', '', $6, 0, false, '', 'none', now() - $7::int * interval '1 minute'
           where not exists (select 1 from settlements x where x.request_key = $1) returning request_key as key`,
          [
            key,
            builderOf(key),
            PAYERS[roll(PAYERS.length)],
            String(roll(2)),
            agent(),
            1 + roll(9),
            roll(60 * 50),
          ],
        );
        if (written)
          await run(
            "update holds set state = 'posted', resolved_at = now() where request_key = $1",
            key,
          );
      },
      async function resolve() {
        const [resolved] = await database.query<{ key: string }>(
          `update holds set state = $1, resolved_at = now()
           where request_key = (select request_key from holds where state = 'held' order by request_key limit 1 offset $2) returning request_key as key`,
          [roll(2) === 0 ? "released" : "expired", roll(9)],
        );
        if (resolved) await queue(resolved.key);
      },
      async function holdAgain() {
        const [again] = await database.query<{ key: string }>(
          "update holds set state = 'held', created_at = now(), resolved_at = null where state = 'released' and request_key = $1 returning request_key as key",
          [keys[roll(keys.length)] ?? ""],
        );
        if (again) await queue(again.key);
      },
      () => report(`${BUILDERS[roll(2)]}/r${made++}`, "now() - interval '26 hours'"),
      async function reportLate() {
        const key = keys[roll(keys.length)];
        if (key !== undefined) await report(key, "now()");
      },
      () => createEvents(database).sequence(),
      () => createFigures(database).sumRequests(1 + roll(40)),
    ];
    return () => steps[roll(steps.length)]?.();
  }

  /** As an upgrade finds accounts that are summed up already, those of builders with many requests. */
  async function forgetUnpaid() {
    await run("delete from unpaid_sums");
    await run("delete from counted_unpaid");
    await run(
      `update summed_accounts set unpaid_from = 'infinity', seen = case role when 'builder' then 50000 else seen end
       where covered_from is not null`,
    );
  }

  test("are the ledger's and the reports' after every change, in every time zone", async () => {
    const roll = createDice(7);
    const step = createWorld(roll);
    let compared = 0;
    for (let n = 0; n < STEPS; n += 1) {
      await step();
      if (n % 50 === 49) await forgetUnpaid();
      if (n % 10 > 0) continue;
      await run(`set timezone = '${["UTC", "Asia/Kolkata", "Pacific/Chatham"][roll(3)]}'`);
      compared += await compare(roll);
    }
    expect((await brokenRules(database)).filter((rule) => rule.includes("sums"))).toEqual([]);
    await sumRequests(database);
    await compare(roll);
    expect((await brokenRules(database)).filter((rule) => rule.includes("sums"))).toEqual([]);
    console.log(`sums by the hour: ${STEPS} changes, ${compared} cells compared, 0 differences`);
  }, 240_000);

  test("have nothing to count again when a settled call of a known agent is reported", async () => {
    const reported = async (agentId: string | null) => {
      const key = `${BUILDERS[0]}/reported-${agentId}`;
      await run(
        `insert into settlements (request_key, builder, agent_request_id, settlement_id, fingerprint, account, plan_id, agent_id, jti,
           delegation_id, scheme, network, amount, remaining, from_hold, transaction, chain_status, created_at)
         values ($1, $2, split_part($1, '/', 2), 's-' || $1, '', $3, '0', $4, 'jti', '', '', '', 1, 0, false, '', 'none', now())`,
        ...[key, BUILDERS[0], PAYERS[0], agentId],
      );
      await run(
        `insert into request_reports (request_key, builder, agent_request_id, at, method, path, plan_id, agent_id, http_status, money_status)
         values ($1, $2, split_part($1, '/', 2), now(), 'POST', '/ask', '0', 'agent-0', 200, 'unknown')`,
        ...[key, BUILDERS[0]],
      );
      return run("select 1 from request_changes where refs = array[$1]", key);
    };
    expect(await reported("agent-0")).toEqual([]);
    expect(await reported(null)).toHaveLength(1);
    await sumRequests(database);
    expect((await brokenRules(database)).filter((rule) => rule.includes("sums"))).toEqual([]);
  });

  test("are found wrong by the rule when a row of them is changed", async () => {
    await sumRequests(database);
    await run(
      "update request_sums set n = n + 1 where ctid = (select min(ctid) from request_sums)",
    );
    await run("update unpaid_sums set n = n + 1 where ctid = (select min(ctid) from unpaid_sums)");
    const broken = async () =>
      (await brokenRules(database)).filter((rule) => rule.includes("sums")).sort();
    expect(await broken()).toEqual(["inv_request_sums: 1", "inv_unpaid_sums: 1"]);
    await run(
      "update counted_unpaid set route = '', source = 0 where ctid = (select max(ctid) from counted_unpaid)",
    );
    expect(await broken()).toEqual(["inv_request_sums: 1", "inv_unpaid_sums: 3"]);
  });
});
