import type { A2AEvent, Metadata } from "./a2a-types.ts";
import { A2A_PAYMENT } from "./metadata.ts";

const NAMES: ReadonlySet<string> = new Set(Object.values(A2A_PAYMENT));

/**
 * An executor's event without metadata of payments, which is the gate's alone: an executor may pass on what another agent answered
 * that it paid. The task's history before this message is as it was.
 */
export function withoutPayment<Event extends A2AEvent>(
  event: Event,
  isKnown: (item: unknown) => boolean,
): Event {
  const data: { metadata?: Metadata | undefined } = strip(event.data);
  if (!("status" in event.data)) return { ...event, data };
  const { status } = event.data;
  const history = "history" in event.data && {
    history: event.data.history?.map((message) => (isKnown(message) ? message : strip(message))),
  };
  const message = status?.message && strip(status.message);
  return { ...event, data: { ...data, status: status && { ...status, message }, ...history } };
}

function strip<Item extends { metadata?: Metadata | undefined }>(item: Item): Item {
  const entries = Object.entries({ ...item.metadata });
  const metadata = entries.filter(([name]) => !NAMES.has(name));
  return metadata.length === entries.length
    ? item
    : { ...item, metadata: Object.fromEntries(metadata) };
}
