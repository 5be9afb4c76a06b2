import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../client.ts";
import { brokenRules, ruleStores } from "../testing/stores.ts";
import { sumRequests } from "../testing/sum-requests.ts";
import { createFigures } from "./figures.ts";
import { leastStatement } from "./request-sums.ts";
import { deleteOld } from "./retention.ts";

const builder = `0x${"b".repeat(40)}`;
const payer = `0x${"c".repeat(40)}`;
const DAYS = { reports: 30, deliveries: 90, mails: 90, events: 0 };
const ENDED = ["delivered", "failed"];

describe.each(ruleStores())("what is deleted with time, on $name", ({ open }) => {
  let database: Database;
  const run = <Row>(text: string, ...parameters: unknown[]) =>
    database.query<Row>(text, parameters);
  const count = async (table: string) =>
    (await run<{ n: number }>(`select count(*) as n from ${table}`))[0]?.n;
  const deleteAll = async () => {
    while ((await deleteOld(database, DAYS)) > 0);
  };

  beforeAll(async () => {
    database = await open();
    await run(
      "insert into accounts (address, owner, created_at) values ($1, $1, now()), ($2, $2, now())",
      builder,
      payer,
    );
    await run(
      `insert into webhook_endpoints (endpoint_id, account, url, events, state, secret, secret_hint, secret_at, created_at)
       values ('endpoint', $1, 'https://hook.example', '{*}', 'active', '', '', now(), now())`,
      builder,
    );
  }, 60_000);
  afterAll(() => database.close());

  test("reports go once the sums have them, and the figures stay", async () => {
    await run(
      `insert into request_reports (request_key, builder, agent_request_id, at, method, path, http_status, money_status)
       select $1 || '/r' || n, $1, 'r' || n, now() - n * interval '1 day', 'POST', '/', 402, 'challenged' from generate_series(0, 59) n`,
      builder,
    );
    await run(
      `insert into holds (request_key, builder, agent_request_id, account, plan_id, jti, amount, state, scheme, created_at, expires_at, resolved_at)
       select $1 || '/h' || n, $1, 'h' || n, $2, '1', 'jti', 3, 'expired', '', now() - n * interval '1 day', now(), now() from generate_series(0, 59) n`,
      builder,
      payer,
    );
    await run(
      `insert into request_reports (request_key, builder, agent_request_id, at, method, path, http_status, money_status)
       select request_key, builder, agent_request_id, created_at, 'POST', '/', 200, 'delivered-unsettled' from holds`,
    );
    const figures = createFigures(database);
    const since = new Date(Date.now() - 50 * 86_400_000);
    const read = () => figures.funnel(builder, { role: "builder", since, includeTest: false });
    const before = await read();
    expect(before).toMatchObject({ challenged: 50, delivered: 50, settled: 0 });
    const month = new Date(Date.now() - 25 * 86_400_000);
    const readCauses = () =>
      figures.causes(builder, { role: "builder", since: month, includeTest: false }, since);
    const causes = await readCauses();
    expect(causes).toMatchObject([{ cause: "delivered-unsettled", calls: 25, previous: 25 }]);

    await run(
      "insert into summed_accounts (account, role, seen, covered_from) values ($1, 'builder', 1, 'infinity')",
      builder,
    );
    await deleteAll();
    expect(await count("request_reports")).toBe(120);

    await sumRequests(database);
    await deleteAll();
    expect(await count("request_reports")).toBeLessThan(66);
    expect(await read()).toEqual(before);
    expect(await readCauses()).toEqual(causes);
    expect(await count("counted_unpaid where at < now() - interval '31 days'")).toBe(0);
    expect((await brokenRules(database)).filter((rule) => rule.includes("sums"))).toEqual([]);

    // A list counts what can still be listed.
    const filter = { role: "builder", moneyStatus: ["challenged"] } as const;
    const [text, parameters] = leastStatement(builder, filter) ?? ["", []];
    const [counted] = await run<{ n: number }>(text, ...parameters);
    const listed = await count("request_reports where money_status = 'challenged'");
    expect(counted?.n).toBeGreaterThan(0);
    expect(counted?.n).toBeLessThanOrEqual(listed ?? 0);

    // A report of a closed hour changes nothing; one of an open hour does.
    await run(
      "update request_reports set money_status = 'not-charged' where agent_request_id = 'h5'",
    );
    await sumRequests(database);
    expect(await read()).toEqual({ ...before, delivered: 49, notCharged: 1 });
    expect((await brokenRules(database)).filter((rule) => rule.includes("sums"))).toEqual([]);
  });

  test("what the sums remember of old requests goes too, however few reports there are", async () => {
    await run(
      `insert into counted_requests (request_key, account, role, at, is_agent_reported, is_test, status, is_delivered, credits)
       select 'old' || n, $1, role, now() - interval '40 days', false, false, 'settled', true, 1
       from generate_series(1, 2500) n, unnest(array['builder', 'subscriber']) role`,
      builder,
    );
    await deleteAll();
    expect(await count("counted_requests where request_key like 'old%'")).toBe(0);
  });

  test("ended deliveries and mails go after their days, and what waits stays", async () => {
    await run("delete from webhook_deliveries");
    for (const [n, state] of [...ENDED, "waiting"].entries()) {
      await run(
        `insert into webhook_deliveries (endpoint_id, account, sequence, type, subject, state, attempts, due_at, fence, tries, created_at)
         select 'endpoint', $1, $2 * 10 + days / 50, 'request.settled', 's', $3, 1, now(), 1, '[]', now() - days * interval '1 day' from unnest(array[1, 100]) days`,
        builder,
        n,
        state,
      );
    }
    for (const state of ["sent", "failed", "dropped", "waiting"]) {
      await run(
        `insert into mails (mail_id, account, kind, ref, recipient, state, attempts, due_at, fence, created_at)
         select $2 || days, $1, 'alert', $2 || days, 'a@example.com', $2, 1, now(), 1, now() - days * interval '1 day' from unnest(array[1, 100]) days`,
        builder,
        state,
      );
    }
    await deleteOld(database, { reports: 0, deliveries: 0, mails: 0, events: 0 });
    expect([await count("webhook_deliveries"), await count("mails")]).toEqual([6, 8]);
    await deleteAll();
    expect([await count("webhook_deliveries"), await count("mails")]).toEqual([4, 5]);
  });

  test("approvals that no one decided go after the days of mails, and decided ones stay", async () => {
    // Of a plan that this test has no need to make.
    await run("alter table approvals drop constraint approvals_plan_id_plans_plan_id_fk");
    await run(
      `insert into approvals (approval_id, account, jti, subject, subject_hash, plan_id, builder, reason, max_cents, max_credits, state, minutes, created_at, expires_at, decided_at)
       select state || days, $1, 'jti', '', state || days, '1', $2, 'amount', 0, 1, state, 30, now() - days * interval '1 day',
         now() - days * interval '1 day' + interval '30 minutes', case when state = 'declined' then now() end
       from unnest(array[0, 1, 100]) days, unnest(array['pending', 'expired', 'declined']) state`,
      payer,
      builder,
    );
    await deleteAll();
    expect(await count("approvals")).toBe(7);
    expect(await count("approvals where state = 'declined'")).toBe(3);
  });
});
