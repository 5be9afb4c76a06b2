import { DataTable, type DataTableProps } from "./data-table.tsx";

type Fixed = "caption" | "columns" | "rowId" | "hrefOf" | "expansionOf" | "empty";

/**
 * The table of one kind of row; its page gives it the rows and what is below them.
 *
 * @example
 * export const OrderTable = createTable<OrderSummary>({ caption: "Orders", columns, rowId: ({ orderId }) => orderId });
 */
export const createTable =
  <Row extends object>(table: Pick<DataTableProps<Row>, Fixed>) =>
  (props: Omit<DataTableProps<Row>, Exclude<Fixed, "empty">>) => (
    <DataTable {...table} {...props} />
  );
