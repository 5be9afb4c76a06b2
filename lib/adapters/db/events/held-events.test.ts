import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../client.ts";
import { deleteOld } from "../figures/retention.ts";
import { ruleStores } from "../testing/stores.ts";

const replaying = `0x${"b".repeat(40)}`;
const other = `0x${"d".repeat(40)}`;

describe.each(ruleStores())("an event that is sent again, on $name", ({ open }) => {
  let database: Database;
  const run = <Row>(text: string, ...parameters: unknown[]) =>
    database.query<Row>(text, parameters);
  const deleteAll = async (account: string) => {
    while ((await deleteOld(database, { reports: 0, deliveries: 0, mails: 0, events: 30 })) > 0);
    const [row] = await run<{ n: number }>(
      "select count(*) as n from events where account = $1",
      account,
    );
    return row?.n;
  };

  beforeAll(async () => {
    database = await open();
    for (const account of [replaying, other]) {
      await run(
        "insert into accounts (address, owner, created_at) values ($1, $1, now())",
        account,
      );
      await run(
        `insert into events (account, sequence, type, subject, data, created_at, hash)
         select $1, n, 'plan.created', 's' || n, '{}', now() - interval '32 days', decode(repeat('00', 32), 'hex') from generate_series(1, 2500) n`,
        account,
      );
      await run(
        `insert into event_heads (account, sequence, hash) values ($1, 2500, decode(repeat('00', 32), 'hex'))
         on conflict (account) do update set sequence = 2500`,
        account,
      );
    }
    await run(
      `insert into webhook_endpoints (endpoint_id, account, url, events, state, secret, secret_hint, secret_at, created_at)
       values ('endpoint', $1, 'https://hook.example', '{*}', 'active', '', '', now(), now())`,
      replaying,
    );
  }, 60_000);
  afterAll(() => database.close());

  test("is kept with those after it for three days, and keeps no other account's for longer", async () => {
    await run("select replay_events('endpoint', 11, 11, true)");
    expect(await deleteAll(replaying)).toBe(2490);
    await run("insert into clock (id, offset_ms) values (1, $1)", 2 * 86_400_000);
    await run("select replay_events('endpoint', 11, 11, true)");
    expect(await deleteAll(other)).toBe(0);
    expect(await deleteAll(replaying)).toBe(0);
  });
});
