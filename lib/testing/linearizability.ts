/** An operation as its caller saw it. Without an answer it may have happened at any time after its call, or never. */
export type Recorded<In, Out> = {
  input: In;
  output: Out | undefined;
  invoked: number;
  /** Infinity without an answer. */
  returned: number;
};

/** What one operation at a time would do: the next state, or null when it cannot give this answer. */
export type Specification<State, In, Out> = {
  initial: State;
  step: (state: State, input: In, output: Out | undefined) => State | null;
  /** Whether an operation with this answer leaves every state as it is. */
  isInert: (input: In, output: Out | undefined) => boolean;
  /** Equal states have equal keys. */
  keyOf: (state: State) => string;
};

type Entry = { op: number; isCall: boolean; before: Entry | null; after: Entry | null };

/**
 * What the search tries next: the call of an answered operation, or, once it has come to a return and passed every such
 * call, one of the operations without an answer.
 */
type Place = { entry: Entry; unanswered: number };

/**
 * Whether there is an order of the operations, each between its call and its return, in which one at a time would have
 * given the same answers (Wing and Gong's search, with Lowe's memory of visited configurations). Operations without an
 * answer are tried last: they fit almost anywhere, and a wrong place shows only much later.
 *
 * @example isLinearizable(history, specification)
 */
export function isLinearizable<State, In, Out>(
  history: readonly Recorded<In, Out>[],
  { initial, step, keyOf, isInert }: Specification<State, In, Out>,
): boolean {
  const head = entriesOf(history);
  const returns = returnsOf(head);
  const unansweredOps = unansweredOf(history);
  const placed = new Configuration(history.length);
  const visited = new Set<string>();
  const done: { place: Place; op: number; state: State }[] = [];
  const opAt = ({ entry, unanswered }: Place): number | undefined => {
    if (entry.isCall) return entry.op;
    const op = unansweredOps[unanswered] ?? entry.op;
    const isCalled = (history[op]?.invoked ?? 0) <= (history[entry.op]?.returned ?? 0);
    return op !== entry.op && isCalled ? op : undefined;
  };
  let state = initial;
  let place = firstOf(head);
  // The list has the answered operations that are not placed.
  while (place) {
    const op = opAt(place);
    if (op === undefined) {
      // An operation returned that could not be placed before: the last choice was wrong.
      const last = done.pop();
      if (!last) return false;
      state = last.state;
      placed.flip(last.op);
      if (last.place.entry.isCall) unlift(last.place.entry, returns);
      // Where an inert operation fits, a later place for it would not help the others.
      const { input, output } = history[last.op] as Recorded<In, Out>;
      if (!isInert(input, output)) place = after(last.place);
      continue;
    }
    const { input, output } = history[op] as Recorded<In, Out>;
    const next = placed.has(op) ? null : step(state, input, output);
    // Without an answer it may never have happened, so placing it only helps where it changes something.
    const isUseless = next === state && !place.entry.isCall;
    if (next !== null && !isUseless) {
      placed.flip(op);
      const key = `${placed.key()}/${keyOf(next)}`;
      if (!visited.has(key)) {
        visited.add(key);
        done.push({ place, op, state });
        state = next;
        if (place.entry.isCall) lift(place.entry, returns);
        place = firstOf(head);
        continue;
      }
      placed.flip(op);
    }
    place = after(place);
  }
  return true;
}

function firstOf({ after: entry }: Entry): Place | null {
  return entry && { entry, unanswered: 0 };
}

/** A call is never the last entry: its return comes after it. */
function after({ entry, unanswered }: Place): Place | null {
  return entry.isCall ? firstOf(entry) : { entry, unanswered: unanswered + 1 };
}

/** The operations without an answer, in the order of their calls. */
function unansweredOf(history: readonly Recorded<unknown, unknown>[]): number[] {
  const calledAt = (op: number) => history[op]?.invoked ?? 0;
  return Array.from(history.keys())
    .filter((op) => history[op]?.returned === Number.POSITIVE_INFINITY)
    .sort((a, b) => calledAt(a) - calledAt(b));
}

/**
 * The operation whose answer cannot be explained any more, and those that were under way beside it: where to look when a
 * history has no order. Empty when it has one.
 */
export function findAnomaly<State, In, Out>(
  history: readonly Recorded<In, Out>[],
  specification: Specification<State, In, Out>,
): Recorded<In, Out>[] {
  if (isLinearizable(history, specification)) return [];
  const ends = history
    .map(({ returned }) => returned)
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  /** As it was seen at a moment: what had not returned has no answer yet. */
  const until = (moment: number) =>
    history
      .filter(({ invoked }) => invoked <= moment)
      .map((each) =>
        each.returned <= moment
          ? each
          : { ...each, output: undefined, returned: Number.POSITIVE_INFINITY },
      );
  let [from, to] = [0, ends.length - 1];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isLinearizable(until(ends[middle] ?? 0), specification)) from = middle + 1;
    else to = middle;
  }
  const moment = ends[from] ?? 0;
  const last = history.find(({ returned }) => returned === moment);
  const beside = history.filter(
    (each) => each !== last && each.returned >= (last?.invoked ?? 0) && each.invoked <= moment,
  );
  return last ? [last, ...beside] : [];
}

/**
 * Calls and returns of the answered operations in the order of their times, as a list that entries are taken out of and
 * put back into.
 */
function entriesOf(history: readonly Recorded<unknown, unknown>[]): Entry {
  const events = history.flatMap(({ invoked, returned }, op) =>
    returned === Number.POSITIVE_INFINITY
      ? []
      : [
          { op, isCall: true, at: invoked },
          { op, isCall: false, at: returned },
        ],
  );
  // At one instant calls come first: operations that touch are concurrent.
  events.sort((a, b) => a.at - b.at || Number(b.isCall) - Number(a.isCall));
  const head: Entry = { op: -1, isCall: false, before: null, after: null };
  let last = head;
  for (const { op, isCall } of events) {
    const entry: Entry = { op, isCall, before: last, after: null };
    last.after = entry;
    last = entry;
  }
  return head;
}

/** The return of each operation. */
function returnsOf(head: Entry): Map<number, Entry> {
  const returns = new Map<number, Entry>();
  for (let entry = head.after; entry; entry = entry.after) {
    if (!entry.isCall) returns.set(entry.op, entry);
  }
  return returns;
}

/** Takes an operation out of the list. */
function lift(call: Entry, returns: Map<number, Entry>): void {
  remove(call);
  const end = returns.get(call.op);
  if (end) remove(end);
}

/** Puts it back, in the reverse order. */
function unlift(call: Entry, returns: Map<number, Entry>): void {
  const end = returns.get(call.op);
  if (end) restore(end);
  restore(call);
}

function remove(entry: Entry): void {
  if (entry.before) entry.before.after = entry.after;
  if (entry.after) entry.after.before = entry.before;
}

function restore(entry: Entry): void {
  if (entry.before) entry.before.after = entry;
  if (entry.after) entry.after.before = entry;
}

const FULL = 0xffff_ffff;

/** The set of operations that are placed. */
class Configuration {
  private readonly bits: Uint32Array;
  private readonly count: number;

  constructor(size: number) {
    this.count = Math.ceil(size / 32);
    this.bits = new Uint32Array(this.count);
  }

  flip(op: number): void {
    const at = op >>> 5;
    this.bits[at] = ((this.bits[at] ?? 0) ^ (1 << (op & 31))) >>> 0;
  }

  has(op: number): boolean {
    return ((this.bits[op >>> 5] ?? 0) & (1 << (op & 31))) !== 0;
  }

  /** The words up to the last that is not empty, without the full ones before it: nearly all of them are either. */
  key(): string {
    let last = this.count - 1;
    while (last > 0 && this.bits[last] === 0) last -= 1;
    let key = `${last}`;
    for (let at = 0; at <= last; at++) {
      const word = this.bits[at] ?? 0;
      if (word !== FULL) key += ` ${at}:${word}`;
    }
    return key;
  }
}
