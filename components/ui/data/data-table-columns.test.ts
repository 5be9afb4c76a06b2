import { describe, expect, it } from "vitest";
import { columnsOf, nextSorting, sortRows } from "./data-table-columns.ts";

type Row = { name: string; calls: number; paid?: bigint };
const column = columnsOf<Row>();
const name = column.accessor("name", { header: "Name" });
const calls = column.accessor("calls", {
  header: "Calls",
  cell: ({ getValue }) => `${getValue()}×`,
});
const paid = column.accessor("paid", { header: "Paid" });
const actions = column.display({ id: "actions", header: () => "Actions" });
const columns = column.columns([name, calls, paid, actions]);
const rows: Row[] = [
  { name: "plan 10", calls: 3, paid: 5n },
  { name: "Plan 9", calls: 20 },
  { name: "agent", calls: 1, paid: 40n },
];
const namesBy = (id: string, desc: boolean) =>
  sortRows(rows, columns, [{ id, desc }]).map((row) => row.name);

describe("the columns of a table", () => {
  it("show a member unchanged, or as the column formats it", () => {
    expect(name.contentOf(rows[0] as Row)).toBe("plan 10");
    expect(calls.contentOf(rows[0] as Row)).toBe("3×");
    expect(actions.head).toBe("Actions");
  });

  it("sort words naturally and numbers by size", () => {
    expect(namesBy("name", false)).toEqual(["agent", "Plan 9", "plan 10"]);
    expect(namesBy("calls", true)).toEqual(["Plan 9", "plan 10", "agent"]);
  });

  it("keep rows without a value last in both directions", () => {
    expect(namesBy("paid", false)).toEqual(["plan 10", "agent", "Plan 9"]);
    expect(namesBy("paid", true)).toEqual(["agent", "plan 10", "Plan 9"]);
  });

  it("keep the given order without sorting, and for a column of buttons", () => {
    expect(sortRows(rows, columns, [])).toBe(rows);
    expect(sortRows(rows, columns, [{ id: "actions", desc: false }])).toBe(rows);
  });

  it("reverse a sorted column; start words ascending and numbers descending", () => {
    expect(nextSorting(name, rows, [])).toEqual([{ id: "name", desc: false }]);
    expect(nextSorting(calls, rows, [])).toEqual([{ id: "calls", desc: true }]);
    expect(nextSorting(calls, rows, [{ id: "calls", desc: true }])).toEqual([
      { id: "calls", desc: false },
    ]);
  });
});
