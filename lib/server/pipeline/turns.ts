import "server-only";

/**
 * Lets so many pieces of work run at once; the others wait for their turn. Turns go around those who wait, named by `by`, so
 * that one who asks for many delays their own. `take` answers the function that ends a turn, or null where too many wait
 * already.
 *
 * @example const end = await turns.take(address)
 */
export function createTurns({
  running: mostRunning,
  waiting: mostWaiting = Number.POSITIVE_INFINITY,
}: Turns) {
  const most = () => (typeof mostRunning === "number" ? mostRunning : mostRunning());
  /** Whose turn is next is first. */
  const queues = new Map<string, (() => void)[]>();
  let running = 0;
  let waiting = 0;

  async function wait(by: string): Promise<boolean> {
    const queue = queues.get(by) ?? [];
    if (waiting >= mostWaiting) return false;
    waiting += 1;
    queues.set(by, queue);
    await new Promise<void>((start) => queue.push(start));
    return true;
  }

  function end(): void {
    running -= 1;
    for (const [by, [start, ...others]] of queues) {
      if (running >= most()) return;
      running += 1;
      waiting -= 1;
      queues.delete(by);
      if (others.length > 0) queues.set(by, others);
      start?.();
    }
  }

  return {
    async take(by = ""): Promise<(() => void) | null> {
      if (running < most()) running += 1;
      else if (!(await wait(by))) return null;
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        end();
      };
    },
  };
}

/** `running` is asked whenever a turn is taken or ends, where it changes. */
type Turns = { running: number | (() => number); waiting?: number };
