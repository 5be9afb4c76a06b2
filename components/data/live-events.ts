import type { QueryClient } from "@tanstack/react-query";
import type { EventType } from "@turnpike/payments/protocol";
import type { DashboardOperations } from "@/lib/console/operations.ts";

type Client = Pick<QueryClient, "invalidateQueries">;
type Read = keyof DashboardOperations;
type Topic = EventType extends infer T
  ? T extends `${infer Name}.${string}`
    ? Name
    : never
  : never;

const CALLS: Read[] = ["listRequests", "getActivitySeries", "getHome", "listUnsettledRequests"];
const MONEY: Read[] = ["listMovements", "getHome"];
const CREDITS: Read[] = ["listSubscriptions", "getHome"];

/** What a page reads again after an event of each subject; `report` is a request that charged nothing. */
const CONCERNS: Record<Topic | "report", Read[]> = {
  request: [...CALLS, "listSubscriptions", "listMovements"],
  report: CALLS,
  order: [...MONEY, "listSubscriptions"],
  credits: CREDITS,
  refund: [...MONEY, "listSubscriptions", "listUnsettledRequests"],
  dispute: MONEY,
  payout: MONEY,
  withdrawal: MONEY,
  deposit: MONEY,
  plan: ["getHome"],
  agent: ["getHome"],
  token: ["getHome"],
  delegation: ["getHome"],
  card: ["getHome"],
  key: ["getHome"],
  alert: ["getHome"],
  webhook_endpoint: ["getHome"],
  history: ["listRequests", "getActivitySeries", "listUnsettledRequests", ...MONEY, ...CREDITS],
};
const ALL = CONCERNS.history;

/** The shortest time between two readings, where calls come faster; figures over many calls cost more than a list. */
const GAP_MS: Partial<Record<Read, number>> = { getHome: 3_000, getActivitySeries: 5_000 };
const LIST_GAP_MS = 1_000;
/** After the service has refused a stream: too many are open, or it is busy. */
const REFUSED_MS = 60_000;
const URL = "/data/events";

/** One stream for everything on the page that follows it. */
export function createLiveEvents() {
  const clients = new Map<Client, number>();
  const listeners = new Set<() => void>();
  const refresh = createRefresh(clients);
  let source: EventSource | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let isUp = false;
  let isSignedOut = false;

  const setUp = (next: boolean) => {
    isUp = next;
    for (const listener of listeners) listener();
  };
  const close = () => {
    clearTimeout(retry);
    source?.close();
    source = undefined;
    // A stream that opens reads all, and says first if the session has ended.
    refresh.clear();
    setUp(false);
  };
  /** Open while the page is visible, something on it follows, and the session lasts. */
  function sync(): void {
    if (document.hidden || clients.size === 0 || isSignedOut) return void close();
    if (source) return;
    const opened = new EventSource(URL);
    source = opened;
    opened.addEventListener("opened", () => {
      setUp(true);
      // What happened before is not sent.
      refresh.all(ALL);
    });
    opened.onmessage = ({ data }) => refresh.all(readsOf(data));
    opened.addEventListener("report", () => refresh.all(CONCERNS.report));
    opened.addEventListener("signed-out", () => setSignedOut(true));
    opened.onerror = () => {
      // The pages say so when the service can't be reached.
      if (isUp) refresh.all(ALL);
      setUp(false);
      if (opened.readyState !== EventSource.CLOSED) return;
      close();
      retry = setTimeout(sync, REFUSED_MS);
    };
  }
  function setSignedOut(next: boolean): void {
    if (isSignedOut === next) return;
    isSignedOut = next;
    sync();
    if (!next) setUp(isUp);
  }

  return {
    isUp: () => isUp,
    /** Whether a page that gets the focus reads again on its own: its stream does so when it opens. */
    readsAtFocus: () => clients.size === 0 && !isSignedOut,
    /** Whether the session ended while the page was open. Nothing is read again until it is set back. */
    isSignedOut: () => isSignedOut,
    setSignedOut,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Keeps what a client has read up to date until the returned function is called. */
    follow(client: Client): () => void {
      clients.set(client, (clients.get(client) ?? 0) + 1);
      document.addEventListener("visibilitychange", sync);
      sync();
      return () => {
        const left = (clients.get(client) ?? 1) - 1;
        if (left > 0) clients.set(client, left);
        else clients.delete(client);
        // The next page may follow at once.
        setTimeout(sync, 0);
      };
    },
  };
}

/** Reads at once, then never again before the reading has ended, its gap is over and the read is still due. */
function createRefresh(clients: ReadonlyMap<Client, number>) {
  const reading = new Set<Read>();
  const due = new Set<Read>();
  async function refresh(read: Read): Promise<void> {
    if (reading.has(read)) return void due.add(read);
    reading.add(read);
    const queryKey = [read];
    await Promise.all([...clients.keys()].map((client) => client.invalidateQueries({ queryKey })));
    setTimeout(() => {
      reading.delete(read);
      if (due.delete(read)) void refresh(read);
    }, GAP_MS[read] ?? LIST_GAP_MS);
  }
  return {
    all: (reads: readonly Read[]) => reads.forEach((read) => void refresh(read)),
    /** Nothing is due any more. */
    clear: () => due.clear(),
  };
}

/** The reads that an event concerns; a type of a later release concerns all. */
export function readsOf(data: string): readonly Read[] {
  const { type } = JSON.parse(data) as { type: string };
  const [topic = ""] = type.split(".");
  return Object.hasOwn(CONCERNS, topic) ? CONCERNS[topic as Topic] : ALL;
}

export const liveEvents = createLiveEvents();
