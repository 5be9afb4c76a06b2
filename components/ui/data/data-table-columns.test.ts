import { describe, expect, it } from "vitest";
import { TimeAgo } from "../values/time-ago.tsx";
import { actionsColumn, cellOf, type DataColumn } from "./data-table-columns.ts";

type Row = { name: string; calls: bigint };
const row: Row = { name: "plan 10", calls: 12_345n };

describe("a column of a table", () => {
  it("shows a member unchanged, grouped as a count, or as the column formats it", () => {
    const name: DataColumn<Row> = { id: "name", head: "Name" };
    const calls: DataColumn<Row> = { id: "calls", head: "Calls", isCount: true };
    const both: DataColumn<Row> = {
      id: "both",
      head: "Both",
      cell: (each) => `${each.calls}× ${each.name}`,
    };
    expect(cellOf(name, row)).toBe("plan 10");
    expect(cellOf(calls, row)).toBe("12,345");
    expect(cellOf(both, row)).toBe("12345× plan 10");
  });

  it("shows a member that is a time as a moment", () => {
    const at = "2026-11-21T14:00:00.000Z";
    const time: DataColumn<{ at: string }> = { id: "at", head: "Time", isTime: true };
    expect(cellOf(time, { at })).toMatchObject({ type: TimeAgo, props: { at, form: "ago" } });
    const full: DataColumn<{ at: string }> = { id: "at", head: "Date", isTime: "full" };
    expect(cellOf(full, { at })).toMatchObject({ type: TimeAgo, props: { at, form: "full" } });
  });

  it("says what there is in place of a member that a row does not have", () => {
    const used: DataColumn<{ at?: string }> = {
      id: "at",
      label: "Last used",
      isTime: true,
      none: "Never",
    };
    expect(cellOf<{ at?: string }>(used, {})).toBe("Never");
  });

  it("holds a row's buttons at its end, above the row's target", () => {
    const actions = actionsColumn<Row>(({ name }) => `Revoke ${name}`, { phone: "start" });
    expect(actions).toMatchObject({ align: "end", phone: "start", hasActions: true });
    expect(cellOf(actions, row)).toBe("Revoke plan 10");
  });
});
