import { createElement, type ReactNode } from "react";
import { groupDigits } from "../values/money-text.ts";
import type { PhonePlace } from "./table.tsx";

/** The look of a column. */
export type ColumnLook = {
  align?: "start" | "end";
  phone?: PhonePlace;
  /** Shown before the value on phones, for values that are unclear without their head. */
  phoneLabel?: string;
  /** The cell that opens the row; its target covers the row. */
  opens?: boolean;
  /** Contains buttons or links, which stay above the row's target. */
  hasActions?: boolean;
  className?: string;
};

/** The column that rows are sorted by; empty for the given order. */
export type Sorting = readonly { id: string; desc: boolean }[];

type CellContext<Row, Value> = { getValue: () => Value; row: { original: Row } };

type Definition<Row, Value> = {
  header: ReactNode | (() => ReactNode);
  /** By default the value. */
  cell?: (context: CellContext<Row, Value>) => ReactNode;
  enableSorting?: boolean;
  meta?: ColumnLook;
};

export type DataColumn<Row> = {
  id: string;
  head: ReactNode;
  look: ColumnLook;
  contentOf: (row: Row) => ReactNode;
  /** The value to sort by; absent for columns that can't be sorted. */
  readValue?: (row: Row) => unknown;
};

export type DataColumns<Row> = readonly DataColumn<Row>[];

/**
 * Creates the columns of a `DataTable`. Call it at module scope.
 *
 * @example
 * const column = columnsOf<Call>();
 * const columns = column.columns([
 *   column.accessor("path", { header: "Endpoint", meta: { phone: "title", opens: true } }),
 * ]);
 */
export const columnsOf = <Row extends object>() => ({
  /** A sortable column of one member. */
  accessor<Key extends keyof Row & string>(
    key: Key,
    definition: Definition<Row, Row[Key]>,
  ): DataColumn<Row> {
    const { cell = ({ getValue }) => getValue() as ReactNode, enableSorting = true } = definition;
    return {
      ...partsOf(key, definition),
      contentOf: (row) => cell({ getValue: () => row[key], row: { original: row } }),
      ...(enableSorting && { readValue: (row: Row) => row[key] }),
    };
  },
  /** A column of several members, or of buttons. */
  display({ id, ...definition }: Definition<Row, never> & { id: string }): DataColumn<Row> {
    const { cell = () => null } = definition;
    const getValue = () => {
      throw new Error(`Column ${id} has no value.`);
    };
    return {
      ...partsOf(id, definition),
      contentOf: (row) => cell({ getValue, row: { original: row } }),
    };
  },
  /** A sortable column of whole numbers. */
  digits<Key extends keyof Row & string>(
    key: Key,
    { header, ...look }: ColumnLook & { header: ReactNode },
  ): DataColumn<Row> {
    return {
      ...partsOf(key, { header, meta: { align: "end", ...look } }),
      contentOf: (row) => groupDigits(row[key] as string | number | bigint),
      readValue: (row) => row[key],
    };
  },
  /** The last column: a row's buttons. */
  actions(contentOf: (row: Row) => ReactNode, look?: ColumnLook): DataColumn<Row> {
    const header = createElement("span", { className: "sr-only" }, "Actions");
    const meta = { align: "end", phone: "end", hasActions: true, ...look } as const;
    return { ...partsOf("actions", { header, meta }), contentOf };
  },
  columns: (columns: DataColumns<Row>): DataColumns<Row> => columns,
});

const partsOf = (id: string, { header, meta }: Definition<never, never>) => ({
  id,
  head: typeof header === "function" ? header() : header,
  look: meta ?? {},
});

const BY_WORDS = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** Rows sorted by a column; rows without a value come last. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: DataColumns<Row>,
  sorting: Sorting,
): readonly Row[] {
  const [by] = sorting;
  const readValue = columns.find(({ id }) => id === by?.id)?.readValue;
  if (!by || !readValue) return rows;
  return [...rows].sort((one, other) => {
    const [a, b] = [readValue(one), readValue(other)];
    if (a == null || b == null) return Number(a == null) - Number(b == null);
    return by.desc ? compare(b, a) : compare(a, b);
  });
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === "string" && typeof b === "string") return BY_WORDS.compare(a, b);
  const [one, other] = [a as number, b as number];
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The order after a press on a head: words ascending, numbers descending; a second press reverses it. */
export function nextSorting<Row>(
  { id, readValue }: DataColumn<Row>,
  rows: readonly Row[],
  [by]: Sorting,
): Sorting {
  if (by?.id === id) return [{ id, desc: !by.desc }];
  const value = rows.map((row) => readValue?.(row)).find((one) => one != null);
  return [{ id, desc: value !== undefined && typeof value !== "string" }];
}
