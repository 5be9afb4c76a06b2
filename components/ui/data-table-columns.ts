import {
  createColumnHelper,
  createSortedRowModel,
  metaHelper,
  rowSortingFeature,
  sortFn_alphanumeric,
  sortFn_basic,
  sortFn_datetime,
  sortFn_text,
  type TableOptions,
  tableFeatures,
} from "@tanstack/react-table";
import type { PhonePlace } from "./table.tsx";

/** How a column looks; every other thing about it is TanStack's. */
export type ColumnLook = {
  align?: "start" | "end";
  phone?: PhonePlace;
  /** Shown before the value where the heads are not; say it when the value alone is not clear. */
  phoneLabel?: string;
  /** The cell whose text opens the row; its target covers the row. */
  opens?: boolean;
  /** Holds buttons or links of its own, which stay above the row's target. */
  hasActions?: boolean;
  className?: string;
};

export const dataTableFeatures = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: {
    alphanumeric: sortFn_alphanumeric,
    basic: sortFn_basic,
    datetime: sortFn_datetime,
    text: sortFn_text,
  },
  columnMeta: metaHelper<ColumnLook>(),
});

export type DataTableFeatures = typeof dataTableFeatures;

/**
 * Makes the columns of a `DataTable`, at module scope.
 *
 * @example
 * const column = columnsOf<Call>();
 * const columns = column.columns([
 *   column.accessor("path", { header: "Endpoint", meta: { phone: "title", opens: true } }),
 * ]);
 */
export const columnsOf = <Row extends object>() => createColumnHelper<DataTableFeatures, Row>();

export type DataColumns<Row extends object> = TableOptions<DataTableFeatures, Row>["columns"];
