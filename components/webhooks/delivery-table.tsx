import type { WebhookDelivery } from "@turnpike/payments/protocol";
import type { ReactNode } from "react";
import { DataTable } from "../ui/data/data-table.tsx";
import type { DataColumns } from "../ui/data/data-table-columns.ts";
import { NothingYet } from "../ui/nothing-yet.tsx";
import { HttpStatus } from "../ui/values/http-status.tsx";
import { StatePill } from "../ui/values/state-pill.tsx";
import { stateOf } from "./webhook-text.ts";

const columns: DataColumns<WebhookDelivery> = [
  {
    id: "type",
    head: "Event",
    phone: "title",
    opens: true,
    cell: ({ event }) => <code>{event.type}</code>,
  },
  { id: "number", label: "Number", align: "end", cell: ({ event }) => event.sequence },
  { id: "createdAt", head: "Time", isTime: true },
  {
    id: "answer",
    head: "Response",
    cell: ({ tries }) => {
      const status = tries.at(-1)?.status;
      return status === undefined ? "–" : <HttpStatus status={status} />;
    },
  },
  {
    id: "status",
    head: "Status",
    phone: "end",
    cell: (delivery) => <StatePill state={stateOf(delivery)} />,
  },
];

type DeliveryTableProps = {
  deliveries: WebhookDelivery[];
  openId: string | undefined;
  /** A delivery that is open closes. */
  onOpen: (deliveryId: string) => void;
  /** What is shown under the open delivery. */
  detailsOf: (delivery: WebhookDelivery) => ReactNode;
  foot: string;
  newest: string | undefined;
  older: string | undefined;
};

export function DeliveryTable(props: DeliveryTableProps) {
  const { deliveries, openId, onOpen, detailsOf, ...list } = props;
  return (
    <DataTable
      caption="Deliveries"
      columns={columns}
      rows={deliveries}
      rowId={({ deliveryId }) => deliveryId}
      onOpen={({ deliveryId }) => onOpen(deliveryId)}
      openId={openId}
      expansionOf={(delivery) => delivery.deliveryId === openId && detailsOf(delivery)}
      empty={
        <NothingYet title="No deliveries" action="Learn about events" href="/docs/webhooks" isFine>
          Events for your account appear here once they are sent. Send a test event to see one.
        </NothingYet>
      }
      {...(deliveries.length > 0 && {
        foot: list.foot,
        pages: { label: "deliveries", newest: list.newest, older: list.older },
      })}
    />
  );
}
