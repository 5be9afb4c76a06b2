import "server-only";

const MAX_WAITING = 8;

type Line = { waiting: number; last: Promise<void> };

// Next may load this module twice in one process, but there must be one queue.
const KEY = Symbol.for("turnpike.demo.line");
const shared = globalThis as { [KEY]?: Line };
const line: Line = shared[KEY] ?? { waiting: 0, last: Promise.resolve() };
shared[KEY] = line;

/**
 * A place in the queue of runs, or `undefined` when it is full. Runs go one after another because
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
