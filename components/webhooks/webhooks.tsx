"use client";

import type { WebhookEndpoint } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { useOperation } from "../forms/use-operation.ts";
import { Button } from "../ui/button.tsx";
import { DataTable } from "../ui/data/data-table.tsx";
import type { DataColumns } from "../ui/data/data-table-columns.ts";
import { Empty } from "../ui/empty.tsx";
import { TextField } from "../ui/fields/text-field.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { StatePill } from "../ui/values/state-pill.tsx";
import { ShownSecret } from "./shown-secret.tsx";
import { typesOf, type WebhookActions } from "./webhook-text.ts";

type WebhooksProps = {
  endpoints: WebhookEndpoint[];
  openId?: string;
  actions: WebhookActions;
  /** The endpoint that is open. */
  children?: ReactNode;
};

const columns: DataColumns<WebhookEndpoint> = [
  { id: "url", head: "Endpoint", phone: "title", opens: true },
  { id: "events", head: "Events", cell: ({ events }) => events.join(", ") },
  {
    id: "status",
    head: "Status",
    cell: ({ status }) =>
      status === "active" ? (
        <StatePill state="Active" />
      ) : (
        <StatePill tone="bad">Disabled</StatePill>
      ),
  },
  {
    id: "delivered",
    head: "Delivered in 7 days",
    align: "end",
    cell: ({ deliveries }) => deliveries.delivered,
  },
];

/** The account's endpoints, and the dialog that adds one. */
export function Webhooks({ endpoints, openId, actions, children }: WebhooksProps) {
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
        Events are sent to your server at least once and in order per subject, signed as Standard
        Webhooks.
      </PageHeader>
      <div className="grid gap-6">
        {endpoints.length === 0 ? (
          <Empty kind="first" title="No endpoints yet" headingLevel={2} actions={add}>
            Add the URL of your server to hear of orders, settled calls, refunds and payouts.
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

type AddEndpointProps = Pick<WebhookActions, "createWebhookEndpoint"> & {
  onAdded: (secret: string) => void;
  onClose: () => void;
};

function AddEndpoint({ createWebhookEndpoint, onAdded, onClose }: AddEndpointProps) {
  const router = useRouter();
  const [url, setUrl] = useState("");
  const [events, setEvents] = useState("*");
  const operation = useOperation();
  const add = () =>
    operation.run(
      () => createWebhookEndpoint({ url: url.trim(), events: typesOf(events) }),
      ({ secret, endpointId }) => {
        onAdded(secret);
        router.replace(`/settings/webhooks?endpoint=${endpointId}`);
        router.refresh();
      },
    );
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title="Add endpoint"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            data-safe
            look="primary"
            isPending={operation.isPending}
            onClick={() => void add()}
          >
            Add
          </Button>
        </>
      }
    >
      <TextField
        label="URL"
        isMono
        type="url"
        autoComplete="off"
        placeholder="https://example.com/turnpike"
        value={url}
        onChange={(event) => setUrl(event.target.value)}
      />
      <TextField
        label="Events"
        hint="Types such as order.completed, groups such as order.*, or * for all."
        isMono
        autoComplete="off"
        value={events}
        onChange={(event) => setEvents(event.target.value)}
      />
      <FailureNotice title="The endpoint was not added." of={operation} />
    </Dialog>
  );
}
