"use client";

import type { WebhookDelivery, WebhookEndpoint } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { plural } from "@/lib/text/plural.ts";
import type { ActionAnswer } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { useOperation } from "../forms/use-operation.ts";
import { type Confirmation, useConfirmed } from "../sign-in/use-confirmed.tsx";
import { Button } from "../ui/button.tsx";
import { Figures } from "../ui/data/figures.tsx";
import { SegmentedLinks } from "../ui/fields/segmented-control.tsx";
import { TextField } from "../ui/fields/text-field.tsx";
import { Notice } from "../ui/notice.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { DeliveryDetails } from "./delivery-details.tsx";
import { DeliveryTable } from "./delivery-table.tsx";
import { EndpointSettings } from "./endpoint-settings.tsx";
import { ShownSecret } from "./shown-secret.tsx";
import { rotationAnswer, type WebhookActions } from "./webhook-text.ts";

type EndpointPanelProps = {
  endpoint: WebhookEndpoint;
  deliveries: WebhookDelivery[];
  links: { href: string; label: string; isCurrent: boolean }[];
  foot: string;
  newest: string | undefined;
  older: string | undefined;
  actions: WebhookActions;
  confirmation: Confirmation;
};

/** Reads the page again after a change: what was sent is answered a moment later. */
const REFRESH_MS = 700;
const REFRESHES = 6;

/** A new secret is shown once, in the answer that was lost. */
const UNKNOWN =
  "Reload the page to see its current state. If you rotated the secret, rotate it again to get one that you can copy. Earlier secrets keep signing until they expire.";

/** One endpoint: its figures, its secret, its delivery log. */
export function EndpointPanel(props: EndpointPanelProps) {
  const { endpoint, deliveries, actions, confirmation, ...list } = props;
  const { endpointId, status, disabled, deliveries: counts, lastSequence } = endpoint;
  const medianMs = counts?.medianMs;
  const [openId, setOpenId] = useState<string>();
  const [secret, setSecret] = useState<string>();
  const operation = useConfirmed(confirmation, "Changing an endpoint");
  const follow = useRefreshes();
  const run = <Data,>(work: () => Promise<ActionAnswer<Data>>) => void operation.run(work, follow);
  const isActive = status === "active";
  // Kept once it is enabled: that is when it is needed.
  const [missedFrom, setMissedFrom] = useState(disabled?.fromSequence);
  if (disabled && disabled.fromSequence !== missedFrom) setMissedFrom(disabled.fromSequence);
  return (
    <section aria-labelledby="endpoint" className="grid gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 id="endpoint" className="wrap-anywhere font-mono text-h3">
          {endpoint.url}
        </h2>
        <EndpointButtons
          endpoint={endpoint}
          actions={actions}
          operation={operation}
          onRotated={setSecret}
          onChanged={follow}
        />
      </div>
      <FailureNotice title="Nothing was changed." unknown={UNKNOWN} of={operation} />
      {disabled && (
        <Notice tone="unsettled" title="This endpoint is disabled: no events are sent.">
          {disabled.reason} Since <TimeAgo at={disabled.at} form="full" />. Once you enable it,
          failed deliveries are sent again. Then replay from number {disabled.fromSequence} to send
          the events it missed.
        </Notice>
      )}
      <Figures
        figures={[
          { label: "Delivered in 7 days", value: counts?.delivered ?? 0 },
          { label: "Waiting", value: counts?.waiting ?? 0, note: `${counts?.failed ?? 0} failed` },
          {
            label: "Median response time",
            value: medianMs === undefined ? "–" : `${medianMs} ms`,
            note: "Limit 10 s",
          },
          { label: "Newest event", value: lastSequence },
        ]}
      />
      <EndpointSettings {...{ endpoint, actions, confirmation }} onRotated={setSecret} />
      {operation.dialog}
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h3 className="text-h3">Deliveries</h3>
        <SegmentedLinks label="Show" links={list.links} />
      </div>
      <DeliveryTable
        {...list}
        deliveries={deliveries}
        openId={openId}
        onOpen={(deliveryId) => setOpenId(deliveryId === openId ? undefined : deliveryId)}
        detailsOf={(open) => (
          <DeliveryDetails
            delivery={open}
            isPending={operation.isPending}
            onReplay={() =>
              run(() => actions.replayWebhookDelivery({ endpointId, deliveryId: open.deliveryId }))
            }
          />
        )}
      />
      {isActive && (
        <ReplayRange
          endpoint={endpoint}
          missedFrom={missedFrom}
          replayWebhookEvents={actions.replayWebhookEvents}
          onReplayed={follow}
        />
      )}
      {secret && <ShownSecret secret={secret} onClose={() => setSecret(undefined)} />}
    </section>
  );
}

type EndpointButtonsProps = Pick<EndpointPanelProps, "endpoint" | "actions"> & {
  operation: ReturnType<typeof useConfirmed>;
  onRotated: (secret: string) => void;
  onChanged: () => void;
};

function EndpointButtons({ endpoint, actions, operation, ...on }: EndpointButtonsProps) {
  const { endpointId } = endpoint;
  const isActive = endpoint.status === "active";
  const status = isActive ? ("disabled" as const) : ("active" as const);
  const rotate = () =>
    operation.run(
      async () => rotationAnswer(await actions.rotateWebhookSecret({ endpointId })),
      ({ secret }) => on.onRotated(secret),
    );
  const change = () =>
    operation.run(() => actions.updateWebhookEndpoint({ endpointId, status }), on.onChanged);
  const test = () => operation.run(() => actions.testWebhookEndpoint({ endpointId }), on.onChanged);
  // One change at a time: a click during another one would be ignored.
  const isBusy = operation.isPending || undefined;
  return (
    <div className="flex flex-wrap gap-2">
      <Button aria-disabled={isBusy} onClick={() => void rotate()}>
        Rotate secret
      </Button>
      <Button aria-disabled={isBusy} onClick={() => void change()}>
        {isActive ? "Disable" : "Enable"}
      </Button>
      {isActive && (
        <Button isPending={operation.isPending} onClick={() => void test()}>
          Send test event
        </Button>
      )}
    </div>
  );
}

/** Answers a function that reads the page again a few times. */
function useRefreshes(): () => void {
  const router = useRouter();
  const [left, setLeft] = useState(0);
  useEffect(() => {
    if (left === 0) return;
    const timer = setTimeout(() => {
      router.refresh();
      setLeft(left - 1);
    }, REFRESH_MS);
    return () => clearTimeout(timer);
  }, [left, router]);
  return () => setLeft(REFRESHES);
}

type ReplayRangeProps = Pick<WebhookActions, "replayWebhookEvents"> & {
  endpoint: WebhookEndpoint;
  /** The first number that it did not get while it was disabled. */
  missedFrom: number | undefined;
  onReplayed: () => void;
};

function ReplayRange({ endpoint, missedFrom, replayWebhookEvents, onReplayed }: ReplayRangeProps) {
  const { endpointId, lastSequence } = endpoint;
  const [from, setFrom] = useState(String(missedFrom ?? Math.max(1, lastSequence - 9)));
  const [to, setTo] = useState(String(lastSequence));
  const operation = useOperation();
  const replay = () =>
    operation.run(
      () => replayWebhookEvents({ endpointId, fromSequence: from, toSequence: to }),
      ({ events }) => {
        toast(`${plural(events, "event")} will be sent again`);
        onReplayed();
      },
    );
  return (
    <section aria-labelledby="range" className="grid gap-3 rounded-card border border-line p-4">
      <h3 id="range" className="text-h3">
        Replay a range
      </h3>
      <p className="text-ink-2">
        Sent again in order, with the same IDs. Consumers that keep IDs skip what they have.
      </p>
      <div className="flex flex-wrap items-end gap-3">
        <TextField
          label="From number"
          inputMode="numeric"
          value={from}
          onChange={(event) => setFrom(event.target.value)}
        />
        <TextField
          label="To number"
          inputMode="numeric"
          value={to}
          onChange={(event) => setTo(event.target.value)}
        />
        <Button isPending={operation.isPending} onClick={() => void replay()}>
          Replay events
        </Button>
      </div>
      <FailureNotice
        title="Nothing was replayed."
        unknown="See Deliveries for what was sent again. You can also replay again: the IDs stay the same."
        of={operation}
      />
    </section>
  );
}
