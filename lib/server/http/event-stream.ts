import "server-only";
import { PaymentsError } from "@turnpike/payments/protocol";
import type { EventRecord, Events } from "@/lib/domain/events/event-ports.ts";
import { eventAnswer, eventId, sequenceOf } from "@/lib/domain/events/events.ts";
import type { Log, Ports } from "@/lib/domain/ports.ts";
import type { Pipeline } from "../pipeline/perform.ts";

const POLL_MS = 250;
const POLLED = 500;
const PAGE = 50;
const PUSHED_AT_ONCE = 50;
/** What waits in the process for one listener; what is beyond stays in the database. */
const BUFFERED_BYTES = 64 * 1024;
const BEAT_MS = 15_000;
/** A listener that reads nothing for so long is disconnected; it resumes where it was. */
const STALLED_MS = 30_000;
/** How often a listener's key is read again. */
const RECHECK_MS = 60_000;
const MAX_LISTENERS = 10_000;
const MAX_OF_ACCOUNT = 1_000;

type Listener = {
  account: string;
  /** Events of its account that follow each other, and the messages for them as one. */
  push: (events: EventRecord[], messages: Uint8Array) => void;
  /** Comes every 15 s. */
  beat: (now: number) => void;
  end: () => void;
};

/** One reader of the database for all listeners of the process; it reads nothing while there are none. */
export function createEventFeed(events: Pick<Events, "between" | "lastPosition">, log: Log) {
  const listeners = new Map<string, Set<Listener>>();
  let count = 0;
  let position: Promise<number> | null = null;
  let isReading = false;
  let beats: NodeJS.Timeout | undefined;

  async function read(): Promise<void> {
    position ??= events.lastPosition();
    let from = await position.catch((cause) => {
      position = null;
      throw cause;
    });
    for (;;) {
      const upTo = await events.lastPosition();
      const range = { from, upTo, limit: POLLED };
      const news = await events.between(range, [...listeners.keys()]);
      from = news.length < POLLED ? upTo : (news.at(-1)?.position ?? upTo);
      position = Promise.resolve(from);
      await pushAll(news);
      if (news.length < POLLED) return;
    }
  }
  /** One message for each page of an account, and room for other work between its listeners. */
  async function pushAll(news: EventRecord[]): Promise<void> {
    let pushed = 0;
    for (const account of new Set(news.map((event) => event.account))) {
      const events = news.filter((event) => event.account === account);
      for (let at = 0; at < events.length; at += PAGE) {
        const page = events.slice(at, at + PAGE);
        const messages = Buffer.concat(page.map(messageOf));
        for (const listener of [...(listeners.get(account) ?? [])]) {
          if (listeners.get(account)?.has(listener)) listener.push(page, messages);
          if (++pushed % PUSHED_AT_ONCE === 0) await new Promise((go) => setImmediate(go));
        }
      }
    }
  }
  async function round(): Promise<void> {
    await read().catch((cause) => log.warn({ cause: String(cause) }, "event feed failed"));
    if (count > 0) setTimeout(round, POLL_MS);
    else {
      isReading = false;
      position = null;
    }
  }
  const all = () => [...listeners.values()].flatMap((ofAccount) => [...ofAccount]);

  return {
    /** Resolves once every later event is pushed: what came before, the listener reads itself. */
    async add(listener: Listener): Promise<void> {
      const ofAccount = listeners.get(listener.account) ?? new Set();
      if (count >= MAX_LISTENERS || ofAccount.size >= MAX_OF_ACCOUNT) {
        throw new PaymentsError("rate_limited", "Too many event streams are open.", {
          retryAfterSecs: 30,
        });
      }
      listeners.set(listener.account, ofAccount.add(listener));
      count += 1;
      position ??= events.lastPosition();
      if (!isReading) setTimeout(round, 0);
      isReading = true;
      beats ??= setInterval(() => {
        for (const each of all()) each.beat(Date.now());
      }, BEAT_MS);
      await position;
    },
    remove(listener: Listener): void {
      const ofAccount = listeners.get(listener.account);
      if (!ofAccount?.delete(listener)) return;
      count -= 1;
      if (ofAccount.size === 0) listeners.delete(listener.account);
      if (count > 0) return;
      clearInterval(beats);
      beats = undefined;
    },
    size: () => count,
    stop(): void {
      for (const each of all()) each.end();
    },
  };
}

type Feed = Pick<ReturnType<typeof createEventFeed>, "add" | "remove">;
type Following = {
  account: string;
  /** The last event the listener has. */
  from: number;
  feed: Feed;
  events: Pick<Events, "list">;
  /** Whether the listener may go on reading. */
  isAllowed: () => Promise<boolean>;
  opening: string;
};

/** An account's events after one, as a stream that never ends on its own. */
export function followEvents(following: Following): ReadableStream<Uint8Array> {
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
  { account, from, feed, events, isAllowed }: Following,
  controller: ReadableStreamDefaultController<Uint8Array>,
) {
  let sent = from;
  let isReading = false;
  let isBehind = true;
  let stalledSince: number | null = null;
  let checkedAt = Date.now();
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
  const listener: Listener = {
    account,
    end() {
      feed.remove(listener);
      try {
        controller.close();
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
    beat(now) {
      if (hasRoom()) controller.enqueue(BEAT);
      else dropIfStalled(now);
      if (now - checkedAt < RECHECK_MS) return;
      checkedAt = now;
      isAllowed().then(
        (isStill) => isStill || listener.end(),
        () => {},
      );
    },
  };
  return { listener, readOn };
}

const encoder = new TextEncoder();
const BEAT = encoder.encode(":\n\n");
const messageOf = (event: EventRecord) =>
  encoder.encode(`id: ${eventId(event)}\ndata: ${JSON.stringify(eventAnswer(event))}\n\n`);

type Asking = {
  keyHash: string | null;
  address: string;
  requestId: string;
  after: string | undefined;
};

/** Answers `GET /events/stream`: who may list events may follow them. */
export function createEventStream(
  ports: Pick<Ports, "events" | "apiKeys" | "log">,
  pipeline: Pipeline,
) {
  const feed = createEventFeed(ports.events, ports.log);

  async function open({ keyHash, address, requestId, after }: Asking): Promise<Response> {
    const list = (input: Record<string, string>) =>
      pipeline.perform({
        operation: pipeline.find("listEvents"),
        credentials: keyHash === null ? null : { keyHash },
        address,
        requestId,
        input: { ...input, limit: "1" },
      }) as Promise<{ lastSequence: number }>;
    const { lastSequence } = await list(after === undefined ? {} : { after });
    const key = keyHash === null ? null : await ports.apiKeys.find(keyHash);
    if (!key) throw new PaymentsError("unauthorized", "The stream of events needs an API key.");
    const { account } = key;
    const from = after === undefined ? lastSequence : (sequenceOf(after) ?? Number(after));
    const last = await ports.events.find(account, from);
    const stream = followEvents({
      account,
      from,
      feed,
      events: ports.events,
      isAllowed: () =>
        list({}).then(
          () => true,
          (cause) => !isFinal(cause),
        ),
      // An id without data: a listener that gets nothing else resumes here.
      opening: `retry: 2000\nid: ${last ? eventId(last) : "0"}\n\n`,
    });
    return new Response(stream, {
      headers: {
        "content-type": "text/event-stream",
        "cache-control": "no-store",
        "x-accel-buffering": "no",
        "x-request-id": requestId,
      },
    });
  }
  return { open, stop: feed.stop, size: feed.size };
}

export type EventStream = ReturnType<typeof createEventStream>;

const isFinal = (cause: unknown) =>
  PaymentsError.is(cause) && (cause.httpStatus === 401 || cause.httpStatus === 403);
