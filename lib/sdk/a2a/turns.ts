import { type A2AEvent, type A2ARequest, type Bus, STATE } from "./a2a-types.ts";
import { type ForgetfulBus, forgetPayload } from "./forget-payload.ts";

/** The work on one message, while it runs. */
export type Turn<Given> = ForgetfulBus<Given> & { taskId: string; isCancelled: boolean };

/** The turns that run. A task has several if it gets further messages while the agent works on it. */
export function createTurns<Given extends Bus>() {
  const running = new Set<Turn<Given>>();
  const turnsOf = (taskId: string) => [...running].filter((turn) => turn.taskId === taskId);
  return {
    turnsOf,
    /** Whether the agent works on the task of a message. One that waits for its caller gets messages while it waits. */
    isAtWork({ taskId, task }: A2ARequest): boolean {
      const state = task?.status?.state;
      const isWork = state === STATE.SUBMITTED || state === STATE.WORKING;
      return isWork && turnsOf(taskId).length > 0;
    },
    async run(
      request: A2ARequest,
      { bus, isCopied }: { bus: Given; isCopied: boolean },
      work: (turn: Turn<Given>) => Promise<void>,
    ): Promise<void> {
      const forgetful = isCopied
        ? forgetPayload<A2AEvent, Given>(bus, request)
        : { bus, flush: () => {} };
      const turn = { ...forgetful, taskId: request.taskId, isCancelled: false };
      running.add(turn);
      try {
        await work(turn);
        turn.flush();
      } finally {
        running.delete(turn);
      }
    },
  };
}
