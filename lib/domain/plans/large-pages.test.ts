import { getFixedCreditsConfig, getFreePriceConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createTestService, type TestParty } from "@/lib/server/testing/test-service.ts";

/** Of agents and notes that an earlier release stored. */
const LARGE = JSON.stringify(Array.from({ length: 100 }, () => "/".padEnd(2_000, "x")));
const COUNT = 6;

describe.each(ruleStores())("pages of large items on $name", ({ open }) => {
  let database: Database;
  let payments: TestParty["payments"];
  let planId: string;
  let names: string[];

  beforeAll(async () => {
    database = await open();
    ({ payments } = await createTestService(database).party());
    const terms = [{ name: "Starter" }, getFreePriceConfig(), getFixedCreditsConfig(10n)] as const;
    ({ planId } = await payments.plans.registerCreditsPlan(...terms));
    names = Array.from({ length: COUNT }, (_, at) => `Agent ${COUNT - at}`);
    for (const name of names.toReversed())
      await payments.agents.registerAgent({ name }, {}, [planId]);
    await database.query("update agents set open_endpoints = $1::jsonb", [LARGE]);
    await addLargeNotes();
  });
  afterAll(() => database.close());

  const addLargeNotes = () =>
    database.query(
      `insert into audit (account, action, subject, request_id, before, created_at)
       select account, action, subject, request_id, jsonb_build_object('urls', $1::jsonb), created_at
       from audit where action = 'agent.register' and before is null`,
      [LARGE],
    );

  type Page<Item> = { items: Item[]; nextCursor?: string | undefined; total: number };
  async function readWhole<Item>(read: (cursor?: string) => Promise<Page<Item>>) {
    const pages: Item[][] = [];
    let cursor: string | undefined;
    do {
      const page = await read(cursor);
      expect(JSON.stringify(page.items).length).toBeLessThan(500_000);
      pages.push(page.items);
      cursor = page.nextCursor;
    } while (cursor);
    return pages;
  }
  const page = (cursor?: string) => ({ limit: 100, ...(cursor && { cursor }) });

  test("a plan's agents and an account's own end early, and the next page goes on", async () => {
    for (const read of [
      (cursor?: string) => payments.plans.getPlanAgents(planId, page(cursor)),
      (cursor?: string) => payments.agents.listAgents(page(cursor)),
    ]) {
      const pages = await readWhole(read);
      expect(pages.map(({ length }) => length)).toEqual([2, 2, 2]);
      expect(pages.flat().map(({ metadata }) => metadata.main.name)).toEqual(names);
      expect((await read()).total).toBe(COUNT);
    }
  });

  test("notes of the audit trail, too", async () => {
    const pages = await readWhole((cursor) => payments.audit.listAudit(page(cursor)));
    expect(pages.slice(0, 2).map(({ length }) => length)).toEqual([2, 2]);
    expect(pages.flat()).toHaveLength((await payments.audit.listAudit()).total);
  });

  test("by page number a page is whole, or refused where it is too large: none is skipped", async () => {
    const lists = [
      payments.agents.listAgents,
      (query: { page: number; pageSize: number }) => payments.plans.getPlanAgents(planId, query),
    ];
    const inTwo = async (pageSize: number) => {
      for (const list of lists) {
        const [first, second] = [
          await list({ page: 1, pageSize }),
          await list({ page: 2, pageSize }),
        ];
        const read = [...first.items, ...second.items].map(({ metadata }) => metadata.main.name);
        expect(read).toEqual(names);
      }
    };
    await inTwo(4);
    await database.query(
      "update agents set open_endpoints = open_endpoints || open_endpoints || open_endpoints",
    );
    await inTwo(3);
    const refused = { code: "invalid_input", message: expect.stringContaining("nextCursor") };
    for (const list of lists)
      for (const query of [{ page: 1, pageSize: 4 }, { pageSize: 4 }, { page: 1, limit: 4 }])
        await expect(list(query as never)).rejects.toMatchObject(refused);
    const audit = payments.audit.listAudit;
    expect((await audit({ page: 1, pageSize: 10 })).items).toHaveLength(10);
    await addLargeNotes();
    await expect(audit({ page: 1, pageSize: 12 })).rejects.toMatchObject(refused);
  });

  test("one item that is larger is a page", async () => {
    const { items, nextCursor } = await payments.agents.listAgents();
    expect([items.length, typeof nextCursor]).toEqual([1, "string"]);
  });
});
