import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Difference } from "@/lib/domain/reconciliation/difference-ports.ts";
import type { Database } from "../client.ts";
import { ruleStores } from "../testing/stores.ts";
import { createDifferences } from "./differences.ts";

describe.each(ruleStores())("a difference that a person explained, on $name", ({ open }) => {
  let database: Database;
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());

  const start = async (name: string, given: Partial<Difference> = {}) => {
    const differences = createDifferences(database);
    const late: Difference = {
      ...{ differenceId: name, kind: "rule_late", subject: name, reference: null },
      detail: `Work of ${name} is late.`,
      ...given,
    };
    /** What is new of a look that found these. */
    const look = async (found: Difference[]) => {
      const judged = [name, ...(await differences.listLate())];
      const isNew = await differences.save({ judged, found, healed: [] }, {});
      return isNew.map(({ detail }) => detail);
    };
    expect(await look([late])).toEqual([late.detail]);
    expect(await differences.explain(name, "The node was away.")).toBe(1);
    return { differences, late, look };
  };

  test("stays so while it is the same", async () => {
    const { differences, late, look } = await start("chain.burn");
    expect(await look([late])).toEqual([]);
    expect(await differences.listOpen()).toEqual([]);
  });

  test("is new when it was gone in between", async () => {
    const { differences, late, look } = await start("chain.mint");
    expect(await look([])).toEqual([]);
    expect(await look([late])).toEqual([late.detail]);
    expect(await differences.listOpen()).toHaveLength(1);
    await differences.explain(null, "examined");
  });

  test("is new when it is another amount", async () => {
    const { late, look } = await start("ord_1", { kind: "refund_unknown" });
    const larger = { ...late, detail: "Twice as much went back." };
    expect(await look([larger])).toEqual([larger.detail]);
  });
});
