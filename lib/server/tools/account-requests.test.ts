import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { createSealedValues } from "@/lib/adapters/db/sealed-values.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { runStatements, statementsUnder } from "../testing/page-statements.ts";
import { createMarket, createTestService, type TestMarket } from "../testing/test-service.ts";

const PAGE = "docs/account-requests.md";

describe.each(ruleStores())("the page about requests for an account, on $name", ({ open }) => {
  let database: Database;
  let market: TestMarket;

  beforeAll(async () => {
    database = await open();
    market = await createMarket(createTestService(database));
    await database.query("update accounts set name = 'Ada Lovelace' where address = $1", [
      market.subscriber.address,
    ]);
  });
  afterAll(() => database.close());

  const run = (sql: string, wanted = "") =>
    runStatements(database, sql, { account: market.subscriber.address, wanted });

  test("finds an account by the wallet that owns it", async () => {
    const [find = ""] = statementsUnder(PAGE, "# Requests about an account");
    const { address } = market.subscriber;
    const [account] = await database.query<{ owner: string }>(
      "select owner from accounts where address = $1",
      [address],
    );
    expect(await run(find, account?.owner.toUpperCase())).toMatchObject([
      { address, name: "Ada Lovelace" },
    ]);
  });

  test("lists what was paid and who asked for it", async () => {
    const [orders = "", asked = ""] = statementsUnder(PAGE, "## “I was charged twice”");
    expect(await run(orders)).not.toEqual([]);
    expect(await run(asked)).toContainEqual(expect.objectContaining({ action: "order" }));
  });

  test("prints the rows of every table, and nothing that signs or opens", async () => {
    const [read = ""] = statementsUnder(PAGE, "## All data of an account");
    const rows = await run(read);
    const tables = new Set(rows.map(({ table }) => table));
    for (const table of ["accounts", "api_keys", "tokens", "orders", "transfers"]) {
      expect(tables).toContain(table);
    }
    const secrets = await database.query<{ hash: string; ownerKey: string }>(
      `select hash, owner_key as "ownerKey" from api_keys join accounts on address = account where account = $1`,
      [market.subscriber.address],
    );
    const printed = JSON.stringify(rows);
    expect(secrets.length).toBeGreaterThan(0);
    for (const { hash, ownerKey } of secrets) {
      expect(printed).not.toContain(hash);
      expect(printed).not.toContain(ownerKey);
    }
  });

  test("prints a row of every table whose text names the account, also of one added later", async () => {
    const { address } = market.subscriber;
    await database.query("create table newcomer (about jsonb)", []);
    await database.query(
      "insert into newcomer values (jsonb_build_object('party', $1::text)), ('{}')",
      [address.toLowerCase()],
    );
    const [read = ""] = statementsUnder(PAGE, "## All data of an account");
    const rows = await run(read);
    const tables = await run(read.replace("\\gexec", ""));
    await database.query("drop table newcomer", []);
    expect(rows.filter(({ table }) => table === "newcomer")).toEqual([
      { table: "newcomer", row: { about: { party: address.toLowerCase() } } },
    ]);
    const known = await database.query(
      "select from pg_tables where schemaname = current_schema()",
      [],
    );
    expect(tables).toHaveLength(known.length + 1);
  });

  test("prints no column of any table that is sealed, or whose name says that it is a secret", async () => {
    const [read = ""] = statementsUnder(PAGE, "## All data of an account");
    const tables = await run(read.replace("\\gexec", ""));
    const printed = await Promise.all(tables.map(({ format }) => columnsOf(String(format))));
    const columns = printed.flat();
    expect(columns).toContain("delegations.name");
    const { columns: sealed } = createSealedValues(database);
    const secrets = sealed.map(({ table, column }) => `${table}.${column}`);
    expect(columns.filter((column) => secrets.includes(column))).toEqual([]);
    const isSecret = /(secret|_key|signature|signed|credentials|authorization|share_id|\.hash)$/;
    const isIdentifier = /\.(idempotency_key|request_key|decided_key)$/;
    const named = columns.filter((column) => isSecret.test(column) && !isIdentifier.test(column));
    expect(named).toEqual([]);
    // Each try has the headers that were sent, `webhook-signature` too.
    expect(columns).not.toContain("webhook_deliveries.tries");
  });

  /** What a statement for one table prints of a row, whatever rows there are. */
  async function columnsOf(statement: string): Promise<string[]> {
    const ofAnyRow = statement.replace(
      /from (\w+) r where .*$/s,
      "from jsonb_populate_record(null::$1, '{}') r",
    );
    const [row] = await database.query<{ table: string; row: Record<string, unknown> }>(
      ofAnyRow,
      [],
    );
    return Object.keys(row?.row ?? {}).map((column) => `${row?.table}.${column}`);
  }

  test("finds an address in lower case, and changes nothing for one that is not an account's", async () => {
    const { address } = market.subscriber;
    const lower = address.toLowerCase();
    await database.query("insert into card_customers values ($1, 'cus_lower')", [lower]);
    const state = async () => [
      await database.query("select * from card_customers where account = $1", [lower]),
      await database.query("select * from api_keys where account = $1", [address]),
      await database.query("select * from tokens where account = $1", [address]),
      await database.query("select * from audit order by id", []),
    ];
    const before = await state();
    for (const heading of ["## Stop an account", "## Delete an account"]) {
      for (const sql of statementsUnder(PAGE, heading)) {
        await expect(runStatements(database, sql, { account: lower })).rejects.toThrow();
        expect(await state()).toEqual(before);
      }
    }
    await database.query("delete from card_customers where account = $1", [lower]);
    const [, name = ""] = statementsUnder(PAGE, "# Requests about an account");
    expect(await runStatements(database, name, { account: lower })).toEqual([{ account: address }]);
  });

  test("prints the customer at the card processor, who is known in lower case, and deletes it", async () => {
    const customer = () =>
      database.query("select customer from card_customers where customer = 'cus_ada'", []);
    await database.query("insert into card_customers values ($1, 'cus_ada')", [
      market.subscriber.address.toLowerCase(),
    ]);
    const [read = ""] = statementsUnder(PAGE, "## All data of an account");
    expect(JSON.stringify(await run(read))).toContain("cus_ada");
    const [remove = ""] = statementsUnder(PAGE, "## Delete an account");
    await run(remove);
    expect(await customer()).toEqual([]);
  });

  test("stops an account, and deletes what says who its owner is; the ledger holds", async () => {
    const { delegation } = market.subscriber.payments;
    const { delegationId } = await delegation.createDelegation({
      provider: "erc4337",
      spendingLimitCents: 100n,
      durationSecs: 3_600,
    });
    const [stop = ""] = statementsUnder(PAGE, "## Stop an account");
    await run(stop);
    await expect(delegation.listDelegations()).rejects.toMatchObject({ code: "forbidden" });
    const open = "select 1 from delegations where delegation_id = $1 and revoked_at is null";
    expect(await database.query(open, [delegationId])).toEqual([]);
    const [remove = ""] = statementsUnder(PAGE, "## Delete an account");
    await run(remove);
    const [read = ""] = statementsUnder(PAGE, "## All data of an account");
    expect(JSON.stringify(await run(read))).not.toContain("Lovelace");
    expect(await brokenRules(database)).toEqual([]);
  });
});
