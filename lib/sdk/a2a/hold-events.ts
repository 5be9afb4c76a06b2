import { type A2AEvent, STATE } from "./a2a-types.ts";

type Bus<Event> = { publish(event: Event): void; finished(): void };

/** An executor's bus that holds events back until they are paid for. */
export type HoldingBus<Event, Given> = {
  bus: Given;
  /** Whether a message or a completed task was published: something worth its price. */
  isDelivered(): boolean;
  /** Publishes the held events, the last one changed by `seal`; later events pass at once. */
  release(seal: (last: Event) => Event): void;
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
    release(seal) {
      isOpen = true;
      const last = held.length - 1;
      for (const [at, event] of held.entries()) given.publish(at === last ? seal(event) : event);
      held.length = 0;
      if (isFinished) given.finished();
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

/** A status without content. */
function isProgress({ kind, data }: A2AEvent): boolean {
  if (kind !== "task" && kind !== "statusUpdate") return false;
  if (kind === "task" && data.artifacts.length > 0) return false;
  const { state, message } = data.status ?? {};
  return !message && (state === STATE.SUBMITTED || state === STATE.WORKING);
}
