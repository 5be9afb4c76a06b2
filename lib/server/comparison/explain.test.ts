import { afterAll, beforeAll, expect, test } from "vitest";
import { createChainFindings } from "@/lib/adapters/db/chain/chain-findings.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { createDifferences } from "@/lib/adapters/db/money/differences.ts";
import { openTestPglite } from "@/lib/adapters/db/testing/stores.ts";
import { explainSeen, listOpenItems } from "./explain.ts";

let database: Database;
beforeAll(async () => {
  database = await openTestPglite();
});
afterAll(() => database.close());

test("all explains what was open before the scan, and leaves what the scan found", async () => {
  const findings = createChainFindings(database, "0xplans");
  const differences = createDifferences(database);
  const parts = { findings, differences };
  const find = (name: string) =>
    findings.save(
      [
        {
          findingId: `0x${name}:1`,
          block: 1n,
          transaction: `0x${name}`,
          kind: "cap",
          state: "open",
          detail: `The cap of ${name}.`,
          account: null,
          planId: null,
          credits: 0n,
        },
      ],
      1n,
    );
  await find("seen");
  const late = {
    differenceId: "late",
    kind: "rule_late",
    subject: "late",
    reference: null,
  } as const;
  const found = [{ ...late, detail: "Work is late." }];
  await differences.save({ judged: [], found, healed: [] }, {});
  const seen = await listOpenItems(parts);
  await find("unseen");
  const note = "Our own change.";
  expect(await explainSeen(parts, seen, { id: "0xunseen:1", note })).toEqual([]);
  expect(await explainSeen(parts, seen, { id: "all", note })).toEqual([
    { id: "0xseen:1", detail: "The cap of seen." },
    { id: "late", detail: "Work is late." },
  ]);
  expect(await listOpenItems(parts)).toEqual([{ id: "0xunseen:1", detail: "The cap of unseen." }]);
});
