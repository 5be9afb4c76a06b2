import { expect, test } from "vitest";
import { StatementDocument } from "@/lib/domain/money/statements.ts";
import { type StatementUse, statementDownload } from "./statement-files.ts";

const PLAN_ID = "115792089237316195423570985008687907853";
const AT = "2026-11-01T00:00:00.000Z";

async function csvOf(use: StatementUse): Promise<string[]> {
  const section = { section: "credits", currency: "credits", planId: PLAN_ID } as const;
  const head = { account: "0x1", month: "2026-11", from: AT, to: AT, isClosed: true, isRead: true };
  const document = new StatementDocument("csv", head as never, async function* () {
    yield { part: "section", section: { ...section, opening: "0" } } as never;
    yield { part: "closing", closing: "-1234567890123456789" } as never;
  });
  const { chunks } = statementDownload(document, use);
  let file = "";
  for await (const chunk of chunks) file += chunk;
  return file.split("\r\n");
}

test("a statement for programs begins with its columns and has ids as they are", async () => {
  const [head, opening] = await csvOf("program");
  expect(head).toMatch(/^month,section,/);
  expect(opening).toContain(`,${PLAN_ID},`);
});

test("a statement for spreadsheets is marked as UTF-8 and has ids as texts, amounts as numbers", async () => {
  const [head, opening, closing] = await csvOf("spreadsheet");
  expect(head).toMatch(/^\uFEFFmonth,section,/);
  expect(opening).toContain(`,"'${PLAN_ID}",`);
  expect(closing).toContain(",-1234567890123456789,");
});
