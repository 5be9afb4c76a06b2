import "server-only";
import { PaymentsError } from "@turnpike/payments/protocol";
import type { EventRecord, Events } from "@/lib/domain/events/event-ports.ts";
import { eventAnswer, eventId } from "@/lib/domain/events/events.ts";
import type { Activity } from "@/lib/domain/figures/activity-ports.ts";
import type { Log } from "@/lib/domain/ports.ts";

const POLL_MS = 250;
const POLLED = 500;
const PAGE = 50;
/** How a round's pushes are spread: 1,000 writes in one go would hold up every other request. */
const SLICES = 100;
const SLICE_MS = 2;
const LEAST_SLICE = 10;
const BEAT_MS = 15_000;
const MAX_LISTENERS = 10_000;
const MAX_OF_ACCOUNT = 1_000;
/** Pages of one account, beside what its API keys have open. */
const MAX_PAGES = 50;
/** How often the accounts of open pages are asked for reports, which are no events. */
const REPORTS_EACH_ROUNDS = 4;

export type Listener = {
  account: string;
  /** Events of its account that follow each other, and the messages for them as one. */
  push: (events: EventRecord[], messages: Uint8Array) => void;
  /** Comes every 15 s. */
  beat: (now: number) => void;
  end: () => void;
  /** Of a page: a gate has reported a request. */
  report?: (() => void) | undefined;
};

type ByAccount = Map<string, Set<Listener>>;

/** One reader of the database for all listeners of the process; it reads nothing while there are none. */
export function createEventFeed({ events, activity, log }: FeedPorts) {
  const listeners: ByAccount = new Map();
  const tellReports = createReportWatch(activity);
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
      await pushAll(news, listeners);
      if (news.length < POLLED) return;
    }
  }
  async function round(): Promise<void> {
    await read()
      .then(() => tellReports(all()))
      .catch((cause) => log.warn({ cause: String(cause) }, "event feed failed"));
    if (count > 0) setTimeout(round, POLL_MS);
    else {
      isReading = false;
      position = null;
    }
  }
  const all = () => [...listeners.values()].flatMap((ofAccount) => [...ofAccount]);

  const checkRoom = (account: string, isPage: boolean) => {
    const ofAccount = [...(listeners.get(account) ?? [])];
    const alike = ofAccount.filter(({ report }) => (report !== undefined) === isPage).length;
    if (count >= MAX_LISTENERS || alike >= (isPage ? MAX_PAGES : MAX_OF_ACCOUNT)) throw noRoom();
  };

  return {
    /** Throws `rate_limited` when the process or the account has all the listeners it may have. */
    checkRoom,
    /** Resolves once every later event is pushed: what came before, the listener reads itself. */
    async add(listener: Listener): Promise<void> {
      checkRoom(listener.account, listener.report !== undefined);
      const ofAccount = listeners.get(listener.account) ?? new Set();
      listeners.set(listener.account, ofAccount.add(listener));
      count += 1;
      position ??= events.lastPosition();
      if (!isReading) setTimeout(round, 0);
      isReading = true;
      beats ??= setInterval(() => {
        for (const each of all()) each.beat(performance.now());
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
    stop(): void {
      for (const each of all()) each.end();
    },
  };
}

const noRoom = () =>
  new PaymentsError("rate_limited", "Too many event streams are open.", { retryAfterSecs: 30 });

/** One message for each page of an account's events, to a slice of the listeners at a time. */
async function pushAll(news: EventRecord[], listeners: ByAccount): Promise<void> {
  const pages = [...new Set(news.map(({ account }) => account))].flatMap((account) => {
    const events = news.filter((event) => event.account === account);
    return Array.from({ length: Math.ceil(events.length / PAGE) }, (_, n) => ({
      account,
      page: events.slice(n * PAGE, (n + 1) * PAGE),
    }));
  });
  const pushes = pages.reduce((sum, { account }) => sum + (listeners.get(account)?.size ?? 0), 0);
  const slice = Math.max(LEAST_SLICE, Math.ceil(pushes / SLICES));
  let pushed = 0;
  for (const { account, page } of pages) {
    const messages = Buffer.concat(page.map(messageOf));
    for (const listener of [...(listeners.get(account) ?? [])]) {
      if (listeners.get(account)?.has(listener)) listener.push(page, messages);
      if (++pushed % slice === 0) await new Promise((go) => setTimeout(go, SLICE_MS));
    }
  }
}

/** Tells pages of requests that are reported and charge nothing, which make no event. */
function createReportWatch(activity: FeedPorts["activity"]) {
  let newest = new Map<string, string>();
  let rounds = 0;
  return async (listeners: readonly Listener[]): Promise<void> => {
    rounds += 1;
    if (rounds % REPORTS_EACH_ROUNDS !== 0) return;
    const pages = listeners.filter(({ report }) => report);
    const before = newest;
    newest = new Map();
    if (pages.length === 0) return;
    newest = await activity.newestReports([...new Set(pages.map(({ account }) => account))]);
    for (const { account, report } of pages) {
      // A new page is notified once: what was reported before the first look is not known.
      if (before.get(account) !== newest.get(account)) report?.();
    }
  };
}

type FeedPorts = {
  events: Pick<Events, "between" | "lastPosition">;
  activity: Pick<Activity, "newestReports">;
  log: Log;
};
export type EventFeed = ReturnType<typeof createEventFeed>;

const encoder = new TextEncoder();
export const messageOf = (event: EventRecord) =>
  encoder.encode(`id: ${eventId(event)}\ndata: ${JSON.stringify(eventAnswer(event))}\n\n`);
