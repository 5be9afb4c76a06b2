import "server-only";

/**
 * Lets so many pieces of work run at once; the others wait for their turn, first come, first served. `take` answers the
 * function that ends a turn, or null where too many wait already.
 *
 * @example const end = await turns.take()
 */
export function createTurns({
  running: most,
  waiting: mostWaiting = Number.POSITIVE_INFINITY,
}: Turns) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    async take(): Promise<(() => void) | null> {
      if (running < most) running += 1;
      else if (waiting.length >= mostWaiting) return null;
      else await new Promise<void>((start) => waiting.push(start));
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        const next = waiting.shift();
        if (next) next();
        else running -= 1;
      };
    },
  };
}

type Turns = { running: number; waiting?: number };
