"use client";

import type { WebhookEndpoint } from "@turnpike/payments/protocol";
import { useState } from "react";
import { plural } from "@/lib/text/plural.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { useOperation } from "../forms/use-operation.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/fields/field.tsx";
import { TextInput } from "../ui/fields/text-input.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import type { WebhookActions } from "./webhook-text.ts";

type ReplayRangeProps = Pick<WebhookActions, "replayWebhookEvents"> & {
  endpoint: WebhookEndpoint;
  onReplayed: () => void;
};

/** Sends a range of events again. */
export function ReplayRange({ endpoint, replayWebhookEvents, onReplayed }: ReplayRangeProps) {
  const { endpointId, lastSequence } = endpoint;
  const [from, setFrom] = useState(String(Math.max(1, lastSequence - 9)));
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
        <Field label="From number">
          <TextInput
            inputMode="numeric"
            value={from}
            onChange={(event) => setFrom(event.target.value)}
          />
        </Field>
        <Field label="To number">
          <TextInput
            inputMode="numeric"
            value={to}
            onChange={(event) => setTo(event.target.value)}
          />
        </Field>
        <Button isPending={operation.isPending} onClick={() => void replay()}>
          Replay events
        </Button>
      </div>
      <FailureNotice title="Nothing was replayed." of={operation} />
    </section>
  );
}
