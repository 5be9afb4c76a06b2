import type { A2AEvent, A2ARequest, Bus } from "./a2a-types.ts";
import { busWith } from "./bus-with.ts";
import { type ForgetfulBus, forgetPayload } from "./forget-payload.ts";
import { isWork, stateOf } from "./hold-events.ts";

/** The work on one message, while it runs. */
export type Turn<Given> = ForgetfulBus<Given> & {
  taskId: string;
  isCancelled: boolean;
  /** The task's state without the turns whose payments are still to be decided on: these store it as work, to remove a payment. */
  storedState: number | undefined;
  /** Whether its payment is still to be decided on. Later messages to the task wait for that. */
  isPending: boolean;
  /** Whether its agent works, by the states it has published: an agent that waits for its caller gets messages meanwhile. */
  isAtWork: boolean;
  /** Notes that the payment is authorized: the agent begins to work. */
  begin(): void;
  /** The later message, if any, that runs once this one's payment is refused. */
  next(): Turn<Given> | undefined;
  /** Whether an earlier turn of the task still runs, and publishes on the same bus. */
  isShared(): boolean;
  decided: Promise<void>;
  over: Promise<void>;
};

/** The turns that run. A task has several if it gets further messages while the agent works on it or waits for its caller. */
export function createTurns<Given extends Bus>() {
  const running = new Set<Turn<Given>>();
  const turnsOf = (taskId: string) => [...running].filter((turn) => turn.taskId === taskId);
  const isAtWork = (taskId: string) => turnsOf(taskId).some((turn) => turn.isAtWork);

  function open(given: Given, isCopied: boolean, request: A2ARequest, earlier: Turn<Given>[]) {
    const { taskId } = request;
    const { bus, flush } = isCopied
      ? forgetPayload<A2AEvent, Given>(given, request)
      : { bus: given, flush: () => {} };
    let [decide, end] = [() => {}, () => {}];
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
      storedState:
        earlier.find((other) => other.isPending)?.storedState ?? request.task?.status?.state,
      isPending: true,
      isAtWork: false,
      begin() {
        turn.isAtWork = true;
        turn.isPending = false;
        decide();
      },
      next: () =>
        turn.isPending
          ? turnsOf(taskId).find((other) => other !== turn && other.isPending)
          : undefined,
      isShared: () => earlier.some((other) => running.has(other)),
      decided: new Promise((resolve) => {
        decide = resolve;
      }),
      over: new Promise((resolve) => {
        end = resolve;
      }),
    };
    running.add(turn);
    /** The turn no longer runs, but the SDK closes the bus of all turns when one is over: it waits for those on the bus. */
    async function close(): Promise<void> {
      const next = turn.next();
      running.delete(turn);
      decide();
      await Promise.all(earlier.filter((other) => running.has(other)).map(({ over }) => over));
      await next?.over;
      end();
    }
    return { turn, close };
  }

  return {
    turnsOf,
    /** Whether the agent works on a task. */
    isAtWork,
    /** Whether it does, or may soon: a payment is still to be decided on. */
    isBusy: (taskId: string) => turnsOf(taskId).some((turn) => turn.isAtWork || turn.isPending),
    /**
     * Runs a turn, once the payments of the earlier ones of its task are decided on. While the agent works on the task, it only
     * removes the copies of its payment.
     */
    async run(
      { bus, isCopied, request }: { bus: Given; isCopied: boolean; request: A2ARequest },
      work: (turn: Turn<Given>) => Promise<void>,
    ): Promise<void> {
      const earlier = turnsOf(request.taskId);
      const { turn, close } = open(bus, isCopied, request, earlier);
      try {
        await Promise.all(earlier.map(({ decided }) => decided));
        if (isAtWork(request.taskId)) turn.isPending = false;
        else await work(turn);
        turn.flush();
      } finally {
        await close();
      }
    },
  };
}
