import "server-only";
import { PaymentsError } from "@turnpike/payments/protocol";
import type { Caller } from "@/lib/domain/context.ts";
import type { EventRecord, Events } from "@/lib/domain/events/event-ports.ts";
import { eventId, placeAfter } from "@/lib/domain/events/events.ts";
import type { Ports } from "@/lib/domain/ports.ts";
import type { Credentials } from "../pipeline/admit.ts";
import { findCaller } from "../pipeline/authenticate.ts";
import type { Pipeline } from "../pipeline/perform.ts";
import { createEventFeed, type EventFeed, type Listener, messageOf } from "./event-feed.ts";

const PAGE = 50;
/** What waits in the process for one listener; what is beyond stays in the database. */
const BUFFERED_BYTES = 64 * 1024;
/** A listener that reads nothing for so long is disconnected; it resumes where it was. */
const STALLED_MS = 30_000;
/** How often a listener's key is read again; a page's session is with every beat. */
const RECHECK_MS = 60_000;

type Following = {
  account: string;
  /** The last event the listener has. */
  from: number;
  feed: Pick<EventFeed, "add" | "remove">;
  events: Pick<Events, "list">;
  /** Whether the listener may go on reading. */
  isAllowed: () => Promise<boolean>;
  /** The listener is a page of the dashboard. */
  isPage: boolean;
  opening: string;
};

/** An account's events after one, as a stream that never ends on its own. */
function followEvents(following: Following): ReadableStream<Uint8Array> {
  let follower: ReturnType<typeof createFollower> | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async start(controller) {
        controller.enqueue(encoder.encode(following.opening));
        follower = createFollower(following, controller);
        const { listener, readOn } = follower;
        await following.feed.add(listener).catch((cause) => {
          following.feed.remove(listener);
          throw cause;
        });
        void readOn();
      },
      pull: () => follower?.readOn(),
      cancel: () => follower && following.feed.remove(follower.listener),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: BUFFERED_BYTES }),
  );
}

/** What one stream has sent and whether there is more: pushed events in turn, and pages of what it missed. */
function createFollower(
  { account, from, feed, events, isAllowed, isPage }: Following,
  controller: ReadableStreamDefaultController<Uint8Array>,
) {
  let sent = from;
  let isReading = false;
  let isBehind = true;
  let stalledSince: number | null = null;
  let checkedAt = performance.now();
  const hasRoom = () => (controller.desiredSize ?? 0) > 0;
  const send = (events: EventRecord[], messages: Uint8Array) => {
    controller.enqueue(messages);
    sent = events.at(-1)?.sequence ?? sent;
  };
  /** Reads from the database until there is nothing newer or the listener has enough to read. */
  const readOn = async () => {
    stalledSince = null;
    if (isReading) return;
    isReading = true;
    try {
      while (isBehind && hasRoom()) {
        isBehind = false;
        const page = await events.list(account, sent, PAGE);
        for (const event of page) if (event.sequence > sent) send([event], messageOf(event));
        if (page.length === PAGE) isBehind = true;
      }
    } catch {
      listener.end();
    } finally {
      isReading = false;
    }
  };
  const dropIfStalled = (now: number) => {
    stalledSince ??= now;
    if (now - stalledSince > STALLED_MS) listener.end();
  };
  /** A stream that is closed still waits for its listener to read it; one that fails takes its connection along. */
  const close = () =>
    hasRoom() ? controller.close() : controller.error(new Error("The listener reads nothing."));
  const listener: Listener = {
    account,
    end() {
      feed.remove(listener);
      try {
        close();
      } catch {
        // It was closed from the other side.
      }
    },
    push(events, messages) {
      const [first = 0, last = 0] = [events[0]?.sequence, events.at(-1)?.sequence];
      if (last <= sent) return;
      const isNext = first === sent + 1 && last - first === events.length - 1;
      if (isNext && !isReading && !isBehind && hasRoom()) return send(events, messages);
      isBehind = true;
      if (hasRoom()) void readOn();
    },
    report: isPage ? () => hasRoom() && controller.enqueue(REPORTED) : undefined,
    beat(now) {
      if (hasRoom()) controller.enqueue(BEAT);
      else dropIfStalled(now);
      if (now - checkedAt < (isPage ? 0 : RECHECK_MS)) return;
      checkedAt = now;
      isAllowed().then(
        (isStill) => {
          if (!isStill) listener.end();
        },
        () => {},
      );
    },
  };
  return { listener, readOn };
}

const encoder = new TextEncoder();
const BEAT = encoder.encode(":\n\n");
const REPORTED = encoder.encode("event: report\ndata: {}\n\n");
const openedFor = (account: string) => `event: opened\ndata: ${JSON.stringify({ account })}\n`;
const SIGNED_OUT = encoder.encode("event: signed-out\ndata: {}\n\n");

const streamOf = (body: BodyInit | null, requestId: string): Response =>
  new Response(body, {
    headers: {
      "content-type": "text/event-stream",
      // Compression would keep messages back.
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
      "x-request-id": requestId,
    },
  });

/** `isHead`: only the head is asked for, so nothing would ever end a stream. */
type Asking = { requestId: string; after: string | undefined; isHead?: boolean };
type AskingByKey = Asking & { keyHash: string | null; address: string };
/** A page and who is signed in. `isStill`: whether the session goes on. */
type AskingPage = Asking & { caller: Caller | null; isStill: () => Promise<boolean> };

/** Answers `GET /events/stream` and the dashboard's own stream: who may list events may follow them. */
export function createEventStream(
  ports: Pick<Ports, "events" | "activity" | "apiKeys" | "clock" | "log">,
  pipeline: Pipeline,
) {
  const feed = createEventFeed(ports);

  /** Asks for one event, as what opens the stream may do. */
  const listAs =
    (credentials: Credentials, { requestId, address }: { requestId: string; address?: string }) =>
    (input: Record<string, string>) =>
      pipeline.perform({
        operation: pipeline.find("listEvents"),
        credentials,
        address,
        requestId,
        input: { ...input, limit: "1" },
      }) as Promise<{ lastSequence: number }>;

  type Opening = Asking & Pick<Following, "account" | "isAllowed" | "isPage"> & { head: number };
  async function answer({ requestId, after, isHead, head, ...rest }: Opening): Promise<Response> {
    const last = await placeAfter(ports, rest.account, after ?? String(head));
    const from = last?.sequence ?? 0;
    // A stream that fails once it is a response looks like a broken connection, and is opened again at once.
    feed.checkRoom(rest.account, rest.isPage);
    if (isHead) return streamOf(null, requestId);
    const stream = followEvents({
      ...rest,
      from,
      feed,
      events: ports.events,
      // An id without data: a listener that gets nothing else resumes here. A page is told that it may read, and as whom.
      opening: `retry: 2000\nid: ${last ? eventId(last) : "0"}\n${rest.isPage ? openedFor(rest.account) : ""}\n`,
    });
    return streamOf(stream, requestId);
  }

  async function open({ keyHash, address, ...asking }: AskingByKey): Promise<Response> {
    const { requestId, after } = asking;
    const list = listAs(keyHash === null ? null : { keyHash }, { requestId, address });
    const { lastSequence: head } = await list(after === undefined ? {} : { after });
    const key = keyHash === null ? null : await ports.apiKeys.find(keyHash);
    if (!key) throw new PaymentsError("unauthorized", "The stream of events needs an API key.");
    // Not as a call: those of an address that tries many keys are refused before their key is read.
    const isAllowed = () =>
      findCaller(ports, keyHash).then(
        () => true,
        (cause) => !isFinal(cause),
      );
    return answer({ ...asking, account: key.account, head, isAllowed, isPage: false });
  }

  /**
   * For a page: ends with its session, and also says when a gate has reported a request. The browser opens another one
   * then: the person may have confirmed that it is them, which replaces the session. A page without a session is told so in a
   * stream, as it can't read the status of an answer.
   */
  async function openPage({ caller, isStill, ...asking }: AskingPage): Promise<Response> {
    if (!caller) return streamOf(SIGNED_OUT, asking.requestId);
    const { after } = asking;
    const list = listAs({ session: caller }, asking);
    const { lastSequence: head } = await list(after === undefined ? {} : { after });
    const { account } = caller;
    return answer({ ...asking, account, head, isAllowed: isStill, isPage: true });
  }
  return { open, openPage, stop: feed.stop };
}

export type EventStream = ReturnType<typeof createEventStream>;

/** The key was revoked or has expired, or its account was stopped. */
const isFinal = (cause: unknown) =>
  PaymentsError.is(cause) && (cause.httpStatus === 401 || cause.httpStatus === 403);
