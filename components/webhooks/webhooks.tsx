"use client";

import type { WebhookEndpoint } from "@turnpike/payments/protocol";
import { type ReactNode, useState } from "react";
import type { Confirmation } from "../sign-in/use-confirmed.tsx";
import { Button } from "../ui/button.tsx";
import { DataTable } from "../ui/data/data-table.tsx";
import type { DataColumns } from "../ui/data/data-table-columns.ts";
import { Empty } from "../ui/empty.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { StatePill } from "../ui/values/state-pill.tsx";
import { AddEndpoint } from "./add-endpoint.tsx";
import { ShownSecret } from "./shown-secret.tsx";
import type { WebhookActions } from "./webhook-text.ts";

type WebhooksProps = {
  endpoints: WebhookEndpoint[];
  openId?: string;
  actions: WebhookActions;
  confirmation: Confirmation;
  children?: ReactNode;
};

const columns: DataColumns<WebhookEndpoint> = [
  { id: "url", head: "Endpoint", phone: "title", opens: true },
  { id: "events", label: "Events", phone: "line", cell: ({ events }) => events.join(", ") },
  {
    id: "status",
    head: "Status",
    phone: "end",
    cell: ({ status }) =>
      status === "active" ? (
        <StatePill state="Active" />
      ) : (
        <StatePill tone="bad">Disabled</StatePill>
      ),
  },
  {
    id: "delivered",
    label: "Delivered in 7 days",
    align: "end",
    phone: "line",
    cell: ({ deliveries }) => deliveries?.delivered ?? 0,
  },
];

/** The account's endpoints, and the dialog that adds one. */
export function Webhooks({ endpoints, openId, actions, confirmation, children }: WebhooksProps) {
  const [isAdding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string>();
  const add = (
    <Button look="primary" onClick={() => setAdding(true)}>
      Add endpoint
    </Button>
  );
  return (
    <>
      <PageHeader title="Webhooks" actions={endpoints.length > 0 && add}>
        Turnpike sends events at least once, in order for each object, and signs them to the
        Standard Webhooks specification.
      </PageHeader>
      <div className="grid gap-6">
        {endpoints.length === 0 ? (
          <Empty kind="first" title="No endpoints yet" headingLevel={2} actions={add}>
            Add your server’s URL to receive orders, settled calls, refunds and payouts.
          </Empty>
        ) : (
          <DataTable
            caption="Endpoints"
            columns={columns}
            rows={endpoints}
            rowId={({ endpointId }) => endpointId}
            hrefOf={({ endpointId }) => `/settings/webhooks?endpoint=${endpointId}`}
            openId={openId}
          />
        )}
        {children}
      </div>
      {isAdding && (
        <AddEndpoint
          confirmation={confirmation}
          createWebhookEndpoint={actions.createWebhookEndpoint}
          onAdded={(added) => {
            setAdding(false);
            setSecret(added);
          }}
          onClose={() => setAdding(false)}
        />
      )}
      {secret && <ShownSecret secret={secret} onClose={() => setSecret(undefined)} />}
    </>
  );
}
