import { createElement, type ReactNode } from "react";
import { groupDigits } from "../values/money-text.ts";
import { TimeAgo } from "../values/time-ago.tsx";
import type { PhonePlace } from "./table.tsx";

type ColumnLook = {
  align?: "start" | "end";
  phone?: PhonePlace;
  /** A shorter head before the value on phones, where it is unclear without. */
  phoneLabel?: string;
  /** The cell that opens the row; its target covers the row. */
  opens?: boolean;
  /** Contains buttons or links, which stay above the row's target. */
  hasActions?: boolean;
  className?: string;
};

/**
 * A column of a `DataTable`: a member of the row, also as a count or a time, or what `cell` makes of the row.
 *
 * @example
 * const columns: DataColumns<Call> = [
 *   { id: "path", head: "Endpoint", phone: "title", opens: true },
 *   { id: "at", head: "Time", isTime: true },
 * ];
 */
export type DataColumn<Row> = ColumnLook &
  (
    | { head: ReactNode; label?: undefined }
    /** The head, which is also shown before the value on phones. */
    | { head?: undefined; label: string }
  ) &
  (
    | {
        id: keyof Row & string;
        cell?: undefined;
        isCount?: boolean;
        /** A moment; `full` with its date. */
        isTime?: boolean | "full";
        /** What is shown where the row has no such member. */
        none?: ReactNode;
      }
    | { id: string; cell: (row: Row) => ReactNode; isCount?: undefined; isTime?: undefined }
  );

/** Declare them at module scope, or memoize them. */
export type DataColumns<Row> = readonly DataColumn<Row>[];

export function cellOf<Row>(column: DataColumn<Row>, row: Row): ReactNode {
  if (column.cell) return column.cell(row);
  const value = row[column.id];
  if (value === undefined) return column.none;
  if (column.isTime) {
    const form = column.isTime === "full" ? "full" : "ago";
    return createElement(TimeAgo, { at: value as string, form });
  }
  return column.isCount ? groupDigits(value as string | number | bigint) : (value as ReactNode);
}

/** The last column: a row's buttons. */
export const actionsColumn = <Row>(
  cell: (row: Row) => ReactNode,
  look?: ColumnLook,
): DataColumn<Row> => ({
  id: "actions",
  head: createElement("span", { className: "sr-only" }, "Actions"),
  align: "end",
  phone: "end",
  hasActions: true,
  ...look,
  cell,
});
