import type { RequestRecord } from "@turnpike/payments/protocol";
import type { ReactElement } from "react";
import { expect, test } from "vitest";
import { MoneyCell } from "../activity/request-cells.tsx";
import { cellOf } from "../ui/data/data-table-columns.ts";
import { RECENT_CALL_COLUMNS } from "./recent-call-columns.tsx";

const call = (more: Partial<RequestRecord>): RequestRecord => ({
  agentRequestId: "request-number-1",
  at: "2026-11-21T14:02:11.000Z",
  moneyStatus: "settled",
  planId: "7",
  credits: "3",
  transaction: "",
  chainStatus: "none",
  ...more,
});
const cell = (id: string, record: RequestRecord) => {
  const column = RECENT_CALL_COLUMNS.find((one) => one.id === id);
  return column && cellOf(column, record);
};
const RESERVED = call({ moneyStatus: "unknown", verifiedAt: "2026-11-21T14:02:11.000Z" });

test("a call that runs is in progress, as in Activity", () => {
  const shown = cell("moneyStatus", RESERVED) as ReactElement;
  expect(shown.type).toBe(MoneyCell);
  expect(MoneyCell({ record: RESERVED }).props).toEqual({ children: "In progress" });
});

test("only a settled call was charged", () => {
  expect(cell("charged", call({}))).toBe("3 credits");
  expect(
    cell("charged", call({ paid: { amount: "1500000", currency: "usdc", decimals: 6 } })),
  ).toBe("1.50 USDC");
  for (const record of [RESERVED, call({ moneyStatus: "not-charged" })]) {
    expect(cell("charged", record)).toBe("–");
  }
});
