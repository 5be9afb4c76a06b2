import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCardCustomers } from "./card-customers.ts";
import type { Database } from "./client.ts";
import { ruleStores } from "./testing/stores.ts";

describe.each(ruleStores())("customers of the card processor, $name", ({ open }) => {
  let database: Database;
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());

  test("the first that is noted is everyone's, until it is replaced by name", async () => {
    const { find, keep } = createCardCustomers(database);
    expect(await find("0xa")).toBeNull();
    const noted = await Promise.all(["cus_1", "cus_2", "cus_3"].map((id) => keep("0xa", id, null)));
    const [first = ""] = noted;
    expect(noted).toEqual([first, first, first]);
    expect(await keep("0xa", "cus_late", null)).toBe(first);
    const next = await Promise.all(["cus_4", "cus_5"].map((id) => keep("0xa", id, first)));
    expect(new Set([...next, await find("0xa")]).size).toBe(1);
    expect(next[0]).not.toBe(first);
  });
});
