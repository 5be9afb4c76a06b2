import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createMarket, createTestService, type TestMarket } from "../testing/test-service.ts";

/** The statements below a heading of the page, as a person copies them. */
function statementsUnder(heading: string): string[] {
  const page = readFileSync("docs/account-requests.md", "utf8");
  const [, section = ""] = page.split(`${heading}\n`);
  const [own = ""] = section.split("\n## ");
  return Array.from(own.matchAll(/```sql\n([\s\S]*?)```/g), ([, sql = ""]) => sql.trim());
}

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

  /** Runs statements with psql's variables; what `\gexec` reads is run as well. */
  async function run(sql: string, wanted = ""): Promise<Record<string, unknown>[]> {
    const isRead = sql.endsWith("\\gexec");
    const text = sql
      .replace("\\gexec", "")
      .replaceAll(":'account'", `'${market.subscriber.address}'`)
      .replaceAll(":'wanted'", `'${wanted}'`);
    const rows: Record<string, unknown>[] = [];
    // Each alone: a pool's transaction would need one connection.
    for (const statement of text
      .split(/;\n|;$/)
      .filter((part) => !/^(begin|commit)?$/.test(part))) {
      rows.push(...(await database.query<Record<string, unknown>>(statement, [])));
    }
    if (!isRead) return rows;
    return (await Promise.all(rows.map(({ format }) => run(String(format))))).flat();
  }

  test("finds an account by the wallet that owns it", async () => {
    const [find = ""] = statementsUnder("# Requests about an account");
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
    const [orders = "", asked = ""] = statementsUnder("## “I was charged twice”");
    expect(await run(orders)).not.toEqual([]);
    expect(await run(asked)).toContainEqual(expect.objectContaining({ action: "order" }));
  });

  test("prints the rows of every table, and nothing that signs or opens", async () => {
    const [read = ""] = statementsUnder("## All data of an account");
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

  test("stops an account, and deletes what says who its owner is; the ledger holds", async () => {
    const { delegation } = market.subscriber.payments;
    await delegation.listDelegations();
    const [stop = ""] = statementsUnder("## Stop an account");
    await run(stop);
    await expect(delegation.listDelegations()).rejects.toMatchObject({ code: "unauthorized" });
    const [remove = ""] = statementsUnder("## Delete an account");
    await run(remove);
    const [read = ""] = statementsUnder("## All data of an account");
    expect(JSON.stringify(await run(read))).not.toContain("Lovelace");
    expect(await brokenRules(database)).toEqual([]);
  });
});
