import { type A2AEvent, STATE } from "./a2a-types.ts";

type Bus<Event> = { publish(event: Event): void; finished(): void };

/** An executor's bus that holds events back until they are paid for. */
export type HoldingBus<Event, Given> = {
  bus: Given;
  /** Whether a message or a completed task was published: something worth its price. */
  isDelivered(): boolean;
  /** Publishes the held events, the last one changed by `seal`; later events pass at once. */
  release(seal: (last: Event) => Event): void;
  /** Publishes what is free: a turn that asks its caller for more, and of any other end no content. */
  releaseFree(): void;
  /** Drops the held events. */
  drop(): void;
};

/**
 * A bus in front of another. `all` holds every event but plain progress; otherwise only the event that
 * ends the task is held, so that it can carry the receipt.
 */
export function holdEvents<Event extends A2AEvent, Given extends Bus<Event>>(
  given: Given,
  all: boolean,
): HoldingBus<Event, Given> {
  const held: Event[] = [];
  let isDelivered = false;
  let isFinished = false;
  let isOpen = false;

  function publish(event: Event): void {
    isDelivered ||= isEnd(event);
    const mayPass = isOpen || (held.length === 0 && (all ? isProgress(event) : !isEnd(event)));
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
    bus: new Proxy(given, {
      get(target, name) {
        if (name === "publish") return publish;
        if (name === "finished") return finished;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    }),
    isDelivered: () => isDelivered,
    release,
    releaseFree() {
      // Callers can cancel a task whenever its content is complete.
      if (!held.some(isQuestion)) held.splice(0, held.length, ...held.flatMap(withoutContent));
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

/** The event as one who has not paid may see it. */
function withoutContent<Event extends A2AEvent>(event: Event): Event[] {
  if (event.kind === "artifactUpdate") return [];
  return event.kind === "task" ? [{ ...event, data: { ...event.data, artifacts: [] } }] : [event];
}

/** A status without content. */
function isProgress({ kind, data }: A2AEvent): boolean {
  if (kind !== "task" && kind !== "statusUpdate") return false;
  if (kind === "task" && data.artifacts.length > 0) return false;
  const { state, message } = data.status ?? {};
  return !message && (state === STATE.SUBMITTED || state === STATE.WORKING);
}
