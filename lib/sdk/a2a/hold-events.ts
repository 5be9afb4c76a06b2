import { type A2AEvent, type A2AMessage, type Bus, STATE } from "./a2a-types.ts";
import { busWith } from "./bus-with.ts";

/** An executor's bus that holds events back until they are paid for. */
export type HoldingBus<Event, Given> = {
  bus: Given;
  /** Whether a message or a completed task was published: something worth its price. */
  isDelivered(): boolean;
  /** Publishes the held events, the last one changed by `seal`; later events pass at once. */
  release(seal: (last: Event) => Event): void;
  /** Publishes what is free: a turn that asks its caller for more, and of any other end no content but why it failed. */
  releaseFree(): void;
  /** Drops the held events. */
  drop(): void;
};

/**
 * A bus in front of another. `all` holds every event but plain progress; otherwise only the event that
 * ends the task is held, so that it can carry the receipt. `history` is the task's before this turn, with
 * the caller's message.
 */
export function holdEvents<Event extends A2AEvent, Given extends Bus<Event>>(
  given: Given,
  { all, history }: { all: boolean; history: readonly A2AMessage[] },
): HoldingBus<Event, Given> {
  const held: Event[] = [];
  const known = new Set(history.map(keyOf));
  const isKnown = (message: A2AMessage) => known.has(keyOf(message));
  let isDelivered = false;
  let isFinished = false;
  let isOpen = false;

  function publish(event: Event): void {
    isDelivered ||= isEnd(event);
    const mayPass =
      isOpen || (held.length === 0 && (all ? isProgress(event, isKnown) : !isEnd(event)));
    if (mayPass) given.publish(event);
    else held.push(event);
  }

  function release(seal: (last: Event) => Event): void {
    isOpen = true;
    const last = held.length - 1;
    for (const [at, event] of held.entries()) given.publish(at === last ? seal(event) : event);
    held.length = 0;
    if (isFinished) given.finished();
  }

  function finished(): void {
    if (isOpen) given.finished();
    else isFinished = true;
  }

  return {
    bus: busWith(given, { publish, finished }),
    isDelivered: () => isDelivered,
    release,
    releaseFree() {
      // Callers can cancel a task whenever its content is complete.
      if (!held.some(isQuestion)) {
        const free = held.flatMap((event, at) =>
          withoutContent(event, isKnown, at === held.length - 1),
        );
        held.splice(0, held.length, ...free);
      }
      release((last) => last);
    },
    drop() {
      isOpen = true;
      held.length = 0;
    },
  };
}

const isEnd = ({ kind, data }: A2AEvent): boolean =>
  kind === "message" ||
  ((kind === "task" || kind === "statusUpdate") && data.status?.state === STATE.COMPLETED);

const isQuestion = ({ kind, data }: A2AEvent): boolean =>
  kind !== "artifactUpdate" &&
  "status" in data &&
  (data.status?.state === STATE.INPUT_REQUIRED || data.status?.state === STATE.AUTH_REQUIRED);

type IsKnown = (message: A2AMessage) => boolean;

const keyOf = ({ role, messageId }: A2AMessage) => `${role} ${messageId}`;

/** The event as one who has not paid may see it. The last one keeps the reason why the task failed. */
function withoutContent<Event extends A2AEvent>(
  event: Event,
  isKnown: IsKnown,
  isLast: boolean,
): Event[] {
  const { kind, data } = event;
  if (kind === "artifactUpdate") return [];
  if (kind === "message") return [event];
  const state = data.status?.state;
  const isReason = isLast && (state === STATE.FAILED || state === STATE.REJECTED);
  const status = data.status && (isReason ? data.status : { ...data.status, message: undefined });
  const earlier = kind === "task" && { artifacts: [], history: data.history?.filter(isKnown) };
  return [{ ...event, data: { ...data, status, ...earlier } }];
}

/** A status without content. */
function isProgress({ kind, data }: A2AEvent, isKnown: IsKnown): boolean {
  if (kind !== "task" && kind !== "statusUpdate") return false;
  if (kind === "task") {
    const { artifacts, history } = data;
    if (artifacts.length > 0 || history?.some((each) => !isKnown(each))) return false;
  }
  const { state, message } = data.status ?? {};
  return !message && (state === STATE.SUBMITTED || state === STATE.WORKING);
}
