import type { Logger } from "../logger.ts";

/** Asks the queue for something. One that fails is logged, and fails no answer. */
export async function tryQueue(
  logger: Logger,
  agentRequestId: string | undefined,
  what: string,
  act: () => unknown,
): Promise<void> {
  try {
    await act();
  } catch (error) {
    logger.error(`The queue did not ${what}.`, { agentRequestId, reason: String(error) });
  }
}
