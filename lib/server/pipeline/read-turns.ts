import "server-only";
import { PaymentsError } from "@turnpike/payments/protocol";
import { LRUCache } from "lru-cache";
import { atMost } from "./at-most.ts";
import type { Work } from "./served-operations.ts";

/** Reads at once, and of one reader; while payments are busy, fewer. */
const AT_ONCE = { quiet: { all: 4, each: 3 }, busy: { all: 2, each: 1 } };
/** A read that takes no longer is free. */
const LIGHT_MS = 50;
/** The part of one connection's time that longer reads may take while payments are busy. */
const BUSY_SHARE = 0.2;
/** How long a read waits for its turn; then it is refused. */
const WAIT_MS = { quiet: 5_000, busy: 1_000 };
const MOST_WAITING = { all: 2_000, each: 100 };
const LOOK_MS = 100;
const MOST_READERS = 10_000;
/** Payments are busy while some were under way in so much of the last second. */
const BUSY_FROM = 1 / 3;
/** One of a few milliseconds counts for a second or two. */
const UNDER_WAY_FROM = 1 / 1_000;
const WINDOW_MS = 1_000;
const LONGEST_RETRY_SECS = 60;

/** `lastTurn` is the number of its last one: turns go around the readers. */
type Reader = { running: number; waiting: number; lastTurn: number; blockedUntil: number };
type Waiting = { reader: Reader; start: () => void };

/** Whether a read may be long: a list, or what a page shows. Looking something up by its id takes no turn. */
export const takesTurn = ({ audience, input }: Pick<Work, "audience" | "input">): boolean =>
  audience !== "protocol" || ("shape" in input && "limit" in Object(input.shape));

/**
 * Gives reads their turns. They never wait for payments, nor payments for them, but both share the database's cores: while
 * payments are busy, who reads for long waits until the time it took is paid back, and is then refused with the seconds to
 * wait. Readers of short lists are not touched by it.
 *
 * @example const answer = await turns.read(account, () => verb(context, input))
 */
export function createReadTurns(now: () => number = () => performance.now()) {
  const payments = createLoad(now);
  const readers = new LRUCache<string, Reader>(atMost(MOST_READERS));
  const waiting = new Set<Waiting>();
  let running = 0;
  let turn = 0;
  let debtUntil = 0;
  let timer: NodeJS.Timeout | undefined;

  function mayStart(reader: Reader): boolean {
    const isBusy = payments.isBusy();
    const { all, each } = isBusy ? AT_ONCE.busy : AT_ONCE.quiet;
    if (running >= all || reader.running >= each) return false;
    return !isBusy || reader.blockedUntil <= now();
  }

  function begin(reader: Reader): void {
    running += 1;
    turn += 1;
    reader.running += 1;
    reader.lastTurn = turn;
  }

  function end(reader: Reader, since: number): void {
    running -= 1;
    reader.running -= 1;
    const cost = now() - since - LIGHT_MS;
    if (cost > 0 && payments.isBusy()) {
      // No longer than a refusal says: the debt of many readers would grow without end.
      const longest = now() + LONGEST_RETRY_SECS * 1_000;
      debtUntil = Math.min(Math.max(debtUntil, now()) + cost / BUSY_SHARE, longest);
      reader.blockedUntil = debtUntil;
    }
    startNext();
  }

  function startNext(): void {
    const find = () => findNext(waiting, mayStart);
    for (let next = find(); next; next = find()) {
      leave(next);
      begin(next.reader);
      next.start();
    }
    clearTimeout(timer);
    if (waiting.size > 0) timer = setTimeout(startNext, LOOK_MS);
  }

  function leave(each: Waiting): void {
    waiting.delete(each);
    each.reader.waiting -= 1;
  }

  async function takeTurn(reader: Reader): Promise<void> {
    if (mayStart(reader)) return begin(reader);
    const refused = () => refusal(payments.isBusy(), reader.blockedUntil - now());
    if (waiting.size >= MOST_WAITING.all || reader.waiting >= MOST_WAITING.each) throw refused();
    await new Promise<void>((start, refuse) => {
      const each: Waiting = {
        reader,
        start() {
          clearTimeout(late);
          start();
        },
      };
      const late = setTimeout(
        () => {
          leave(each);
          refuse(refused());
        },
        payments.isBusy() ? WAIT_MS.busy : WAIT_MS.quiet,
      );
      waiting.add(each);
      reader.waiting += 1;
      if (waiting.size === 1) timer = setTimeout(startNext, LOOK_MS);
    });
  }

  return {
    /** Reads when it is the reader's turn. Throws `unavailable` with the seconds to wait when it does not come. */
    async read<T>(by: string, work: () => Promise<T>): Promise<T> {
      const reader = readers.get(by) ?? { running: 0, waiting: 0, lastTurn: 0, blockedUntil: 0 };
      readers.set(by, reader);
      await takeTurn(reader);
      const since = now();
      return work().finally(() => end(reader, since));
    },
    /** Runs a payment's work, and counts it as load. */
    pay: payments.during,
    isPaying: payments.isUnderWay,
  };
}

/** Of those that wait and may start, one whose reader had its last turn longest ago. */
function findNext(
  waiting: ReadonlySet<Waiting>,
  mayStart: (reader: Reader) => boolean,
): Waiting | undefined {
  let next: Waiting | undefined;
  for (const each of waiting) {
    if (next && next.reader.lastTurn <= each.reader.lastTurn) continue;
    if (mayStart(each.reader)) next = each;
  }
  return next;
}

function refusal(isBusy: boolean, blockedMs: number): PaymentsError {
  const secs = Math.ceil(blockedMs / 1_000);
  const retryAfterSecs = Math.min(Math.max(secs, 1), LONGEST_RETRY_SECS);
  const why = isBusy ? "Payments are busy, so long lists wait." : "Too many long lists are read.";
  return new PaymentsError("unavailable", why, {
    retryAfterSecs,
    hint: `Wait ${retryAfterSecs} s, then send it again, or narrow the filter.`,
  });
}

/** In how much of the last second some work was under way. */
function createLoad(now: () => number) {
  let underWay = 0;
  let share = 0;
  let at = now();
  const update = () => {
    const kept = Math.exp((at - now()) / WINDOW_MS);
    share = share * kept + (underWay > 0 ? 1 - kept : 0);
    at = now();
  };
  return {
    async during<T>(work: () => Promise<T>): Promise<T> {
      if (underWay === 0) update();
      underWay += 1;
      try {
        return await work();
      } finally {
        if (underWay === 1) update();
        underWay -= 1;
      }
    },
    isBusy(): boolean {
      update();
      return share > BUSY_FROM;
    },
    isUnderWay(): boolean {
      update();
      return share > UNDER_WAY_FROM;
    },
  };
}
