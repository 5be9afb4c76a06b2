import "server-only";

const MAX_WAITING = 8;

type Line = { waiting: number; last: Promise<void> };

// Next may load this module twice in one process; the line must be one all the same.
const KEY = Symbol.for("turnpike.demo.line");
const shared = globalThis as { [KEY]?: Line };
const line: Line = shared[KEY] ?? { waiting: 0, last: Promise.resolve() };
shared[KEY] = line;

/**
 * A place in the line of runs, or `undefined` when it is long. Runs go one after the other because
 * they share the demo account, whose balance each compares before and after.
 */
export function takeTurn(): { ready: Promise<void>; done: () => void } | undefined {
  if (line.waiting >= MAX_WAITING) return undefined;
  line.waiting += 1;
  const ready = line.last;
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  line.last = ready.then(() => finished);
  const done = () => {
    line.waiting -= 1;
    finish();
  };
  return { ready, done };
}
