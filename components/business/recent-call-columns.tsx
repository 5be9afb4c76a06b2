import type { RequestRecord } from "@turnpike/payments/protocol";
import { chargeText } from "../activity/charge-text.ts";
import { Endpoint, HttpCell, MoneyCell } from "../activity/request-cells.tsx";
import type { DataColumns } from "../ui/data/data-table-columns.ts";

export const RECENT_CALL_COLUMNS: DataColumns<RequestRecord> = [
  { id: "at", head: "Time", isTime: true, phone: "end" },
  {
    id: "path",
    head: "Endpoint",
    className: "wrap-anywhere",
    cell: (row) => <Endpoint record={row} />,
    phone: "title",
    opens: true,
  },
  { id: "httpStatus", head: "HTTP", cell: (row) => <HttpCell record={row} /> },
  { id: "moneyStatus", head: "Payment", cell: (row) => <MoneyCell record={row} /> },
  {
    id: "charged",
    label: "Charged",
    // Reserved credits, and those that were released, were not charged.
    cell: (row) => (row.moneyStatus === "settled" ? chargeText(row) : "–"),
    align: "end",
    phone: "end",
  },
];
