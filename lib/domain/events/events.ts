import { type AccountEvent, PaymentsError } from "@turnpike/payments/protocol";
import { requireCaller } from "../context.ts";
import type { Ports } from "../ports.ts";
import type { Verb } from "../verb.ts";
import type { ChainPlace, EventRecord } from "./event-ports.ts";

/** Names an event for ever: of two events with one number, as after a restored database, each has its own. */
export const eventId = ({ sequence, hash }: Pick<EventRecord, "sequence" | "hash">): string =>
  `evt_${sequence}_${hash.slice(2, 18)}`;

/** The number in an event's id; null when it is none. */
export const sequenceOf = (id: string): number | null => {
  const [, digits] = /^evt_(\d{1,15})_[0-9a-f]{16}$/.exec(id) ?? [];
  return digits === undefined ? null : Number(digits);
};

/** An event as everyone gets it: in the API, in a delivery and in the stream. */
export function eventAnswer(event: EventRecord): AccountEvent {
  const { sequence, type, createdAt, account, data, previousHash, hash } = event;
  return {
    id: eventId(event),
    sequence,
    type,
    createdAt: createdAt.toISOString(),
    account,
    data: JSON.parse(data),
    previousHash,
    hash,
  };
}

/** The caller's events after one they have. */
export const listEvents: Verb<"listEvents"> = async (context, { after, limit }) => {
  const { account } = requireCaller(context);
  const { events } = context.ports;
  const from = await placeAfter(context.ports, account, after);
  const [items, lastSequence, cut] = await Promise.all([
    events.list(account, from?.sequence ?? 0, limit),
    events.head(account),
    events.cut(account),
  ]);
  return { items: items.map(eventAnswer), lastSequence, ...(cut && { cut }) };
};

/**
 * The place that `after` names; null before all events that are kept. Throws `conflict` when this history does not have it, or
 * no longer has what follows it.
 */
export async function placeAfter(
  { events }: Pick<Ports, "events">,
  account: string,
  after: string,
): Promise<ChainPlace | null> {
  const sequence = sequenceOf(after) ?? Number(after);
  if (sequence === 0) return null;
  const [cut, found] = await Promise.all([events.cut(account), events.find(account, sequence)]);
  const known = found ?? (cut?.sequence === sequence ? cut : null);
  if (known && (sequenceOf(after) === null || eventId(known) === after)) return known;
  if (cut && sequence < cut.sequence) {
    throw new PaymentsError(
      "conflict",
      `Events up to ${cut.sequence} were deleted with age, so what follows ${after} is not complete.`,
      { hint: `Read on after ${eventId(cut)}, and read what you missed from the lists.` },
    );
  }
  const head = await events.head(account);
  throw new PaymentsError(
    "conflict",
    `Your history has no event ${after}; its newest one is ${head}. The service was restored from an older copy, or the id is another account's.`,
    {
      hint: "Read `history.restored` events, and read again from the last event whose hash is yours.",
    },
  );
}
