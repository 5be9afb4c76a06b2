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
  /** Equal states have equal keys. */
  keyOf: (state: State) => string;
};

type Entry = { op: number; isCall: boolean; before: Entry | null; after: Entry | null };

/**
 * Whether there is an order of the operations, each between its call and its return, in which one at a time would have
 * given the same answers (Wing and Gong's search, with Lowe's memory of visited configurations).
 *
 * @example isLinearizable(history, specification)
 */
export function isLinearizable<State, In, Out>(
  history: readonly Recorded<In, Out>[],
  { initial, step, keyOf }: Specification<State, In, Out>,
): boolean {
  const head = entriesOf(history);
  const returns = returnsOf(head);
  const visited = new Set<string>();
  const done: { entry: Entry; state: State }[] = [];
  const taken = new Configuration(history.length);
  let unreturned = history.filter(({ returned }) => returned !== Number.POSITIVE_INFINITY).length;
  let state = initial;
  let entry = head.after;
  while (unreturned > 0) {
    if (entry?.isCall) {
      const { input, output } = history[entry.op] as Recorded<In, Out>;
      const next = step(state, input, output);
      taken.flip(entry.op);
      const key = next === null ? "" : `${taken.key()}/${keyOf(next)}`;
      if (next === null || visited.has(key)) {
        taken.flip(entry.op);
        entry = entry.after;
        continue;
      }
      visited.add(key);
      done.push({ entry, state });
      state = next;
      unreturned -= lift(entry, returns);
      entry = head.after;
      continue;
    }
    // An operation returned that could not be placed before: the last choice was wrong.
    const last = done.pop();
    if (!last) return false;
    state = last.state;
    taken.flip(last.entry.op);
    unreturned += unlift(last.entry, returns);
    entry = last.entry.after;
  }
  return true;
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

/** Calls and returns in the order of their times, as a list that entries are taken out of and put back into. */
function entriesOf(history: readonly Recorded<unknown, unknown>[]): Entry {
  const events = history.flatMap(({ invoked, returned }, op) => [
    { op, isCall: true, at: invoked },
    ...(returned === Number.POSITIVE_INFINITY ? [] : [{ op, isCall: false, at: returned }]),
  ]);
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

/** Takes an operation out of the list; how many returns that were. */
function lift(call: Entry, returns: Map<number, Entry>): number {
  remove(call);
  const end = returns.get(call.op);
  if (!end) return 0;
  remove(end);
  return 1;
}

/** Puts it back, in the reverse order. */
function unlift(call: Entry, returns: Map<number, Entry>): number {
  const end = returns.get(call.op);
  if (end) restore(end);
  restore(call);
  return end ? 1 : 0;
}

function remove(entry: Entry): void {
  if (entry.before) entry.before.after = entry.after;
  if (entry.after) entry.after.before = entry.before;
}

function restore(entry: Entry): void {
  if (entry.before) entry.before.after = entry;
  if (entry.after) entry.after.before = entry;
}

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

  key(): string {
    return String.fromCharCode(...new Uint16Array(this.bits.buffer));
  }
}
