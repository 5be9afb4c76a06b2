import type { A2AEvent, A2ARequest, Bus } from "./a2a-types.ts";
import { busWith } from "./bus-with.ts";
import { type ForgetfulBus, forgetPayload } from "./forget-payload.ts";
import { isWork, stateOf } from "./hold-events.ts";

/** The work on one message, while it runs. */
export type Turn<Given> = ForgetfulBus<Given> & {
  taskId: string;
  isCancelled: boolean;
  /** Whether its agent works, by the states it has published: an agent that waits for its caller gets messages meanwhile. */
  isAtWork: boolean;
  /** Whether an earlier turn of the task still runs, and publishes on the same bus. */
  isShared(): boolean;
  over: Promise<void>;
};

/** The turns that run. A task has several if it gets further messages while the agent works on it or waits for its caller. */
export function createTurns<Given extends Bus>() {
  const running = new Set<Turn<Given>>();
  const turnsOf = (taskId: string) => [...running].filter((turn) => turn.taskId === taskId);
  const isAtWork = (taskId: string) => turnsOf(taskId).some((turn) => turn.isAtWork);
  return {
    turnsOf,
    /** Whether the agent works on a task. */
    isAtWork,
    /**
     * Runs a turn. It is over once the earlier turns of its task are: the SDK closes the bus of all when one is over. While the
     * agent works on the task, it only removes the copies of its payment.
     */
    async run(
      { bus: given, isCopied, request }: { bus: Given; isCopied: boolean; request: A2ARequest },
      work: (turn: Turn<Given>) => Promise<void>,
    ): Promise<void> {
      const { taskId } = request;
      const earlier = turnsOf(taskId);
      const isRun = !isAtWork(taskId);
      const { bus, flush } = isCopied
        ? forgetPayload<A2AEvent, Given>(given, request)
        : { bus: given, flush: () => {} };
      let end = () => {};
      const turn: Turn<Given> = {
        bus: busWith<A2AEvent, Given>(bus, {
          publish(event) {
            const state = stateOf(event);
            if (state !== undefined) turn.isAtWork = isWork(state);
            bus.publish(event);
          },
          finished: () => (turn.isShared() ? flush() : bus.finished()),
        }),
        flush,
        taskId,
        isCancelled: false,
        isAtWork: isRun,
        isShared: () => earlier.some((other) => running.has(other)),
        over: new Promise((resolve) => {
          end = resolve;
        }),
      };
      running.add(turn);
      try {
        if (isRun) await work(turn);
        turn.flush();
      } finally {
        await Promise.all(earlier.map(({ over }) => over));
        running.delete(turn);
        end();
      }
    },
  };
}
