import type { RequestRecord } from "@turnpike/payments/protocol";
import type { DataColumns } from "../ui/data/data-table-columns.ts";
import { HttpCell, MoneyCell } from "./request-cells.tsx";

/** The HTTP status and the payment status, side by side in every list of requests. */
export const OUTCOME_COLUMNS: DataColumns<RequestRecord> = [
  { id: "http", head: "HTTP", cell: (row) => <HttpCell record={row} /> },
  { id: "money", head: "Payment", phone: "end", cell: (row) => <MoneyCell record={row} /> },
];
