/** Collects calls and runs them together. */
export type Batcher<In, Out> = (item: In) => Promise<Out>;

type Waiting<In, Out> = {
  item: In;
  resolve: (value: Out) => void;
  reject: (cause: unknown) => void;
  rounds: number;
};

/** What a round says about one item: its answer, or "not in this company, ask again". */
export type RoundResult<Out> = { value: Out } | "retry";

export type BatcherOptions<In, Out> = {
  run: (items: In[]) => Promise<RoundResult<Out>[]>;
  /** The most items of one round. 1 switches batching off. */
  maxBatch?: number;
  /** Rounds that may be under way at once. */
  lanes?: number;
  /** Whether a round failed for what one of its items says, and did nothing. The others then run without it. */
  isOfOneItem?: (cause: unknown) => boolean;
};

// Each round settles at least the first item of every account, so this is never met by honest load.
const MAX_ROUNDS = 10_000;

/**
 * Adaptive micro-batching: no timer. A call that finds a free lane goes at once; calls that come while
 * all lanes work wait and leave together when one is done. So a lone call pays no delay, and a crowd
 * pays one transaction.
 */
export function createBatcher<In, Out>(options: BatcherOptions<In, Out>): Batcher<In, Out> {
  const { run, maxBatch = 256, lanes = 1, isOfOneItem = () => false } = options;
  let queue: Waiting<In, Out>[] = [];
  let busy = 0;

  function pump() {
    while (busy < lanes && queue.length > 0) {
      const round = queue.slice(0, maxBatch);
      queue = queue.slice(maxBatch);
      busy += 1;
      void work(round).finally(() => {
        busy -= 1;
        pump();
      });
    }
  }

  async function work(round: Waiting<In, Out>[]) {
    try {
      const results = await run(round.map(({ item }) => item));
      const again: Waiting<In, Out>[] = [];
      round.forEach((waiting, index) => {
        const result = results[index];
        if (result === undefined || result === "retry") again.push(waiting);
        else waiting.resolve(result.value);
      });
      requeue(again);
    } catch (cause) {
      if (round.length === 1 || !isOfOneItem(cause)) {
        for (const { reject } of round) reject(cause);
        return;
      }
      const middle = round.length >> 1;
      await work(round.slice(0, middle));
      await work(round.slice(middle));
    }
  }

  // Those who were sent back go first, or a busy queue would never let them through.
  function requeue(again: Waiting<In, Out>[]) {
    const fresh: Waiting<In, Out>[] = [];
    for (const waiting of again) {
      waiting.rounds += 1;
      if (waiting.rounds <= MAX_ROUNDS) fresh.push(waiting);
      else waiting.reject(new Error("A batch item found no round that took it."));
    }
    queue = [...fresh, ...queue];
  }

  return (item) =>
    new Promise<Out>((resolve, reject) => {
      queue.push({ item, resolve, reject, rounds: 0 });
      // A turn later, so that calls of one burst share their first round.
      if (busy < lanes) setImmediate(pump);
    });
}
