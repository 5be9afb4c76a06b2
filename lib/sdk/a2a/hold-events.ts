import { contentKey } from "../in-band/content-key.ts";
import { type A2AEvent, type A2ARequest, type Bus, type Metadata, STATE } from "./a2a-types.ts";
import { busWith } from "./bus-with.ts";
import { updatesOf } from "./task-updates.ts";
import { withoutPayment } from "./without-payment.ts";

/** An executor's bus that holds events back until they are paid for. */
export type HoldingBus<Event, Given> = {
  bus: Given;
  /** Whether something worth its price was published: a message or a completed task, or content that passed at once. */
  isDelivered(): boolean;
  /** Publishes the held events, the last one changed by `seal`; later events pass at once. */
  release(seal: (last: Event) => Event): void;
  /** Publishes what is free: a turn that asks its caller for more, and of any other end no content but why it failed. */
  releaseFree(): void;
  /** Drops the held events. */
  drop(): void;
};

/**
 * A bus in front of another. `all` holds every event but plain progress and a request for a credential, without which the
 * executor could not go on; otherwise only the event that ends the task is held, so that it can carry the receipt.
 */
export function holdEvents<Event extends A2AEvent, Given extends Bus<Event>>(
  given: Given,
  { all, request }: { all: boolean; request: A2ARequest },
): HoldingBus<Event, Given> {
  const held: Event[] = [];
  const isKnown = knownTo(request);
  let state: number | undefined;
  let hasEnd = false;
  let hasContent = false;
  let isFinished = false;
  let isOpen = false;

  function publish(published: Event): void {
    const event = withoutPayment(published, isKnown);
    state = stateOf(event) ?? state;
    hasEnd ||= isEnd(event);
    hasContent ||= isContent(event, isKnown);
    const isCancelled = hasContent && stateOf(event) === STATE.CANCELED;
    const mayPass = all ? isProgress(event, isKnown) : !isEnd(event) && !isCancelled;
    if (isOpen || (mayPass && held.length === 0)) given.publish(event);
    else {
      if (all && isCredentialRequest(event)) passOver(event);
      held.push(event);
    }
  }

  /** Publishes an event before those that are held, of which the stream then needs the task without its content. */
  function passOver(event: Event): void {
    const at = held.findIndex(({ kind }) => kind === "task");
    const task: A2AEvent | undefined = held[at];
    if (task?.kind === "task") {
      const { updates, last } = updatesOf(task.data, isKnown);
      const content = [...updates, { kind: "statusUpdate", data: last }] as Event[];
      for (const each of withoutContent(held[at] as Event, isKnown, false)) given.publish(each);
      held.splice(at, 1, ...content);
    }
    given.publish(event);
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
    // A caller can cancel a task whose content they have already received.
    isDelivered: () => hasEnd || (!all && hasContent && !isFailure(state) && !isQuestion(state)),
    release,
    releaseFree() {
      const lastHeld = held.at(-1);
      // Callers can cancel a task whenever its content is complete.
      if (lastHeld && !isQuestion(stateOf(lastHeld))) {
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

/** The task's state that an event says, if it says one. */
export function stateOf({ kind, data }: A2AEvent): number | undefined {
  return kind === "task" || kind === "statusUpdate" ? data.status?.state : undefined;
}

const isEnd = (event: A2AEvent): boolean =>
  event.kind === "message" || stateOf(event) === STATE.COMPLETED;

const isQuestion = (state: number | undefined): boolean =>
  state === STATE.INPUT_REQUIRED || state === STATE.AUTH_REQUIRED;

const isFailure = (state: number | undefined): boolean =>
  state === STATE.FAILED || state === STATE.REJECTED;

export const isWork = (state: number | undefined): boolean =>
  state === STATE.SUBMITTED || state === STATE.WORKING;

const isCredentialRequest = (event: A2AEvent): boolean =>
  event.kind === "statusUpdate" && stateOf(event) === STATE.AUTH_REQUIRED;

type IsKnown = (item: unknown) => boolean;

/**
 * Tells what the caller already has: the task before this turn, and what they sent. Items are compared in full, because the
 * caller chooses the ids of their messages.
 */
function knownTo({ task, userMessage }: A2ARequest): IsKnown {
  const known = new Set(
    [
      ...(task?.history ?? []),
      userMessage,
      ...(task?.artifacts ?? []),
      ...Object.entries({ ...task?.metadata }),
      ...Object.entries({ ...userMessage.metadata }),
    ].map(contentKey),
  );
  return (item) => known.has(contentKey(item));
}

const isKnownMetadata = (metadata: Metadata | undefined, isKnown: IsKnown): boolean =>
  Object.entries({ ...metadata }).every(isKnown);

/** The event as one who has not paid may see it. The last one keeps the reason why the task failed. */
function withoutContent<Event extends A2AEvent>(
  event: Event,
  isKnown: IsKnown,
  isLast: boolean,
): Event[] {
  const { kind, data } = event;
  if (kind === "artifactUpdate") return [];
  if (kind === "message") return [event];
  const isReason = isLast && isFailure(data.status?.state);
  const status = data.status && (isReason ? data.status : { ...data.status, message: undefined });
  const metadata = Object.fromEntries(Object.entries({ ...data.metadata }).filter(isKnown));
  const earlier = kind === "task" && { artifacts: [], history: data.history?.filter(isKnown) };
  return [{ ...event, data: { ...data, status, metadata, ...earlier } }];
}

/** Whether an event of a running task has what its caller pays for. */
function isContent(event: A2AEvent, isKnown: IsKnown): boolean {
  const { kind, data } = event;
  if (kind === "artifactUpdate" || kind === "message") return true;
  if (kind === "task" && hasItems(data, isKnown)) return true;
  return isWork(data.status?.state) && data.status?.message !== undefined;
}

const hasItems = (
  { artifacts, history }: { artifacts: unknown[]; history: unknown[] | undefined },
  isKnown: IsKnown,
): boolean => [...artifacts, ...(history ?? [])].some((item) => !isKnown(item));

/** A status without content. A request for a credential may say what it asks for. */
function isProgress(event: A2AEvent, isKnown: IsKnown): boolean {
  const { kind, data } = event;
  if (kind !== "task" && kind !== "statusUpdate") return false;
  if (isCredentialRequest(event)) return true;
  if (kind === "task" && hasItems(data, isKnown)) return false;
  if (!isKnownMetadata(data.metadata, isKnown)) return false;
  const { state, message } = data.status ?? {};
  return state === STATE.AUTH_REQUIRED || (isWork(state) && !message);
}
