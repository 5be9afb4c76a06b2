import type { QueryClient } from "@tanstack/react-query";
import type { EventType } from "@turnpike/payments/protocol";
import type { DashboardOperations } from "@/lib/console/operations.ts";
import { createListeners } from "../ui/create-listeners.ts";

type Client = Pick<QueryClient, "invalidateQueries" | "cancelQueries">;
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
  order: [...MONEY, "listSubscriptions", "getOrder"],
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
  history: [
    "listRequests",
    "getActivitySeries",
    "listUnsettledRequests",
    "getOrder",
    ...MONEY,
    ...CREDITS,
  ],
};
const ALL = CONCERNS.history;

/** The shortest time between two readings, where calls come faster; figures over many calls cost more than a list. */
const GAP_MS: Partial<Record<Read, number>> = { getHome: 3_000, getActivitySeries: 5_000 };
const LIST_GAP_MS = 1_000;
/** After the service has refused a stream: too many are open, or it is busy. */
const REFUSED_MS = 60_000;
const URL = "/data/events";

/** One stream for everything on the page that follows it. `reload` reloads the page. */
export function createLiveEvents(reload: () => void = () => window.location.reload()) {
  const clients = createClients(sync);
  const listeners = createListeners();
  const refresh = createRefresh(clients);
  let source: EventSource | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let isUp = false;
  let isSignedOut = false;
  /** Whether a refused stream is opened again at once: resumed as another account, it is refused without a reason. */
  let isTriedAgain = false;
  let shownTo: string | undefined;
  const setUp = (next: boolean) => {
    isUp = next;
    listeners.notify();
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
    if (document.hidden || clients.all().length === 0 || isSignedOut) return void close();
    if (source) return;
    source = openStream({
      opened(account) {
        if (account && shownTo && account !== shownTo) return accountChanged();
        isTriedAgain = true;
        setUp(true);
        refresh.all(ALL);
      },
      read: refresh.all,
      signedOut: () => setSignedOut(true),
      broken(isFinal) {
        // The pages say so when the service can't be reached.
        if (isUp) refresh.all(ALL);
        setUp(false);
        if (!isFinal) return;
        close();
        if (!isTriedAgain) retry = setTimeout(sync, REFUSED_MS);
        else {
          isTriedAgain = false;
          sync();
        }
      },
    });
  }
  function accountChanged(): void {
    if (isSignedOut) return;
    setSignedOut(true);
    reload();
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
    readsAtFocus: () => clients.all().length === 0 && !isSignedOut,
    /** Whether the session ended while the page was open. Nothing is read again until it is set back. */
    isSignedOut: () => isSignedOut,
    setSignedOut,
    /** Another tab signed in to another account: this page shows nothing of it, and its forms are refused. */
    accountChanged,
    /** The person signs out here: what is read now would be refused. Set back where they stay after all. */
    setLeaving: clients.setLeaving,
    /** The page was rendered for this account, which is signed in; undefined once it is left. */
    showTo(account: string | undefined): void {
      shownTo = account;
      if (account === undefined) return;
      clients.setLeaving(false);
      setSignedOut(false);
    },
    subscribe: listeners.subscribe,
    follow: clients.follow,
  };
}

/** The clients that follow; one that was added twice follows until it has left twice. */
function createClients(changed: () => void) {
  const counts = new Map<Client, number>();
  let isLeaving = false;
  return {
    /** None while the person signs out. */
    all: () => (isLeaving ? [] : [...counts.keys()]),
    setLeaving(next: boolean): void {
      if (isLeaving === next) return;
      if (next) for (const client of counts.keys()) void client.cancelQueries();
      isLeaving = next;
      changed();
    },
    /** Keeps what a client has read up to date until the returned function is called. */
    follow(client: Client): () => void {
      counts.set(client, (counts.get(client) ?? 0) + 1);
      document.addEventListener("visibilitychange", changed);
      changed();
      return () => {
        const left = (counts.get(client) ?? 1) - 1;
        if (left > 0) counts.set(client, left);
        else counts.delete(client);
        // The next page may follow at once.
        setTimeout(changed, 0);
      };
    },
  };
}

type Heard = {
  /** What happened before is not sent. */
  opened: (account: string | undefined) => void;
  read: (reads: readonly Read[]) => void;
  signedOut: () => void;
  /** `isFinal` where the browser does not open it again. */
  broken: (isFinal: boolean) => void;
};

/** The stream of the account that is signed in. */
function openStream(heard: Heard): EventSource {
  const stream = new EventSource(URL);
  stream.addEventListener("opened", ({ data }) =>
    heard.opened((JSON.parse(data) as { account?: string }).account),
  );
  stream.onmessage = ({ data }) => heard.read(readsOf(data));
  stream.addEventListener("report", () => heard.read(CONCERNS.report));
  stream.addEventListener("signed-out", heard.signedOut);
  stream.onerror = () => heard.broken(stream.readyState === EventSource.CLOSED);
  return stream;
}

/** Reads at once, then never again before the reading has ended, its gap is over and the read is still due. */
function createRefresh(clients: { all: () => Client[] }) {
  const reading = new Set<Read>();
  const due = new Set<Read>();
  async function refresh(read: Read): Promise<void> {
    if (reading.has(read)) return void due.add(read);
    reading.add(read);
    const queryKey = [read];
    await Promise.all(clients.all().map((client) => client.invalidateQueries({ queryKey })));
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
