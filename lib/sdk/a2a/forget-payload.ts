import { contentKey } from "../in-band/content-key.ts";
import { X402_HEADERS } from "../protocol/x402-headers.ts";
import {
  type A2AEvent,
  type A2AMessage,
  type A2ARequest,
  type A2AStatusUpdate,
  type A2ATask,
  type Bus,
  type Metadata,
  STATE,
} from "./a2a-types.ts";
import { busWith } from "./bus-with.ts";
import { A2A_PAYMENT } from "./metadata.ts";
import { updatesOf } from "./task-updates.ts";

/** A bus whose events overwrite the SDK's copies of a payment. */
export type ForgetfulBus<Given> = {
  bus: Given;
  /** Publishes the end of the task, which waits for events that may follow it. */
  flush(): void;
};

/**
 * The payment of a message, from its metadata, or from the header where the transport is HTTP. It is removed from both, and
 * from the task's history: neither the executor nor a reader of the task learns the token. `isCopied` says whether the
 * SDK has copies of it.
 */
export function takePayload({ userMessage, task, context }: A2ARequest): {
  payload: unknown;
  isCopied: boolean;
} {
  const headers = context?.state?.get("headers") as Metadata | undefined;
  const inHeader = take(headers, X402_HEADERS.PAYMENT_SIGNATURE);
  const messages = [userMessage, ...(task?.history ?? [])];
  const isCopied = messages.some(({ metadata }) => metadata && A2A_PAYMENT.PAYLOAD in metadata);
  const [inBand] = messages.map(({ metadata }) => take(metadata, A2A_PAYMENT.PAYLOAD));
  return { payload: inBand ?? inHeader, isCopied };
}

function take(members: Metadata | undefined, name: string): unknown {
  const value = members?.[name];
  if (members) delete members[name];
  return value;
}

/**
 * A bus for a request whose payload was taken. Before it calls the executor, the SDK copies the message with its
 * payload: into the stored task, and for the history of any task event without that message. A stored task is therefore
 * published at once, which overwrites it, and every first task event gets the message. As a stream must not have a
 * second task event, nor a message after one, they become updates.
 */
export function forgetPayload<Event extends A2AEvent, Given extends Bus<Event>>(
  given: Given,
  { taskId, userMessage, task }: A2ARequest,
): ForgetfulBus<Given> {
  const send = given.publish.bind(given) as (event: A2AEvent) => void;
  const stored = new Set<string>();
  const seen = new Set<unknown>(task?.artifacts);
  let end: A2AStatusUpdate | undefined;

  function note({ history, artifacts }: A2ATask): void {
    for (const name of namesOf(history)) seen.add(name);
    for (const artifact of artifacts) seen.add(artifact);
  }

  function open(data: A2ATask): void {
    const { id, history = [] } = data;
    const isIn = history.some(({ messageId }) => messageId === userMessage.messageId);
    const complete = { ...data, history: isIn ? history : [userMessage, ...history] };
    note(complete);
    stored.add(id);
    send({ kind: "task", data: complete });
  }

  function update(data: A2ATask): void {
    const names = namesOf(data.history);
    const history = data.history?.filter((_, at) => !seen.has(names[at]));
    const { updates, last } = updatesOf({ ...data, history }, (item) => seen.has(item));
    note(data);
    for (const each of updates) send(each);
    // An update with such a state ends the SDK's queue, which the task would not.
    if (isEnd(data.status?.state)) end = last;
    else send({ kind: "statusUpdate", data: last });
  }

  function answer(message: A2AMessage, { status, contextId }: A2ATask): void {
    const asked = status?.message?.metadata?.[A2A_PAYMENT.STATUS] === "payment-required";
    const state = asked ? STATE.COMPLETED : (status?.state ?? STATE.COMPLETED);
    const timestamp = new Date().toISOString();
    const data = { taskId, contextId, status: { state, message, timestamp }, metadata: undefined };
    send({ kind: "statusUpdate", data });
  }

  function publish(event: Event): void {
    const { kind, data }: A2AEvent = event;
    if (end && kind !== "artifactUpdate") {
      const status = end.status && { ...end.status, state: STATE.WORKING };
      send({ kind: "statusUpdate", data: { ...end, status } });
      end = undefined;
    }
    if (kind === "task") (stored.has(data.id) ? update : open)(data);
    else if (kind === "message" && task) answer(data, task);
    else send(event);
  }

  function flush(): void {
    if (end) send({ kind: "statusUpdate", data: end });
    end = undefined;
  }

  function finished(): void {
    flush();
    given.finished();
  }

  if (task) {
    const timestamp = new Date().toISOString();
    open({ ...task, status: { state: STATE.WORKING, message: undefined, timestamp } });
  }
  return { bus: busWith(given, { publish, finished }), flush };
}

/** Tells the messages of a task from one another. Those of some agents have no id: then the second of equal ones is another one. */
function namesOf(history: A2AMessage[] = []): string[] {
  const counts = new Map<string, number>();
  return history.map((message) => {
    if (message.messageId) return message.messageId;
    const content = contentKey(message);
    const count = (counts.get(content) ?? 0) + 1;
    counts.set(content, count);
    return `${count} ${content}`;
  });
}

const isEnd = (state: number | undefined): boolean =>
  state !== undefined &&
  state !== STATE.SUBMITTED &&
  state !== STATE.WORKING &&
  state !== STATE.AUTH_REQUIRED;
