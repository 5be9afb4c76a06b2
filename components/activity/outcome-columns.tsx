import type { RequestRecord } from "@turnpike/payments/protocol";
import { columnsOf, type DataColumns } from "../ui/data/data-table-columns.ts";
import { HttpCell, MoneyCell } from "./request-cells.tsx";

const column = columnsOf<RequestRecord>();

/** The HTTP status and the payment status, side by side in every list of requests. */
export const OUTCOME_COLUMNS: DataColumns<RequestRecord> = [
  column.display({
    id: "http",
    header: "HTTP",
    cell: ({ row: { original } }) => <HttpCell record={original} />,
  }),
  column.display({
    id: "money",
    header: "Payment",
    meta: { phone: "end" },
    cell: ({ row: { original } }) => <MoneyCell record={original} />,
  }),
];
