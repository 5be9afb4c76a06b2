import { inTime } from "../../client/waiting/in-time.ts";
import type { Logger } from "../logger.ts";

/** As long as an answer waits for its receipt. */
const WAIT_MS = 5000;

/** Asks the queue for something. One that fails, or takes longer than an answer can wait, is logged, and fails no answer. */
export async function tryQueue(
  logger: Logger,
  agentRequestId: string | undefined,
  what: string,
  act: () => unknown,
): Promise<void> {
  try {
    const taken = Promise.resolve(act()).then(() => true);
    if (!(await inTime(taken, WAIT_MS)))
      throw new Error(`It takes longer than ${WAIT_MS / 1000} s.`);
  } catch (error) {
    logger.error(`The queue did not ${what}.`, { agentRequestId, reason: String(error) });
  }
}
