import { PaymentsError } from "@turnpike/payments/protocol";
import type { CallFault } from "@/lib/domain/sandbox-ports.ts";

/** Does what a sandbox fault does before the call has any effect. */
export async function applyFault(fault: CallFault): Promise<void> {
  if (fault.kind === "down") {
    throw new PaymentsError("unavailable", "A sandbox fault has taken this operation down.", {
      retryAfterSecs: 1,
    });
  }
  if (fault.kind === "slow") await new Promise((wake) => setTimeout(wake, fault.ms));
}

const REPLY_LOST = "reply-lost";

/** The call took effect, and a sandbox fault dropped its response. */
export const lostReply = (): PaymentsError =>
  new PaymentsError("unavailable", "A sandbox fault dropped this response.", {
    retryAfterSecs: 1,
    cause: REPLY_LOST,
  });

export const isLostReply = (error: unknown): boolean =>
  PaymentsError.is(error) && error.cause === REPLY_LOST;

/**
 * The body of a lost response: the connection breaks after its head. One that fails at once would be answered by the
 * HTTP server with a complete 500 instead.
 */
export const brokenStream = (cause: unknown): ReadableStream =>
  new ReadableStream({
    pull: async (controller) => {
      await new Promise((wake) => setImmediate(wake));
      controller.error(cause);
    },
  });
