import { PaymentsError } from "../protocol/errors.ts";
import { X402_HEADERS } from "../protocol/x402-headers.ts";
import type { VerbContext } from "./verb.ts";

const LOST: readonly string[] = ["network_error", "timeout", "internal"];

/** Reaches the agent, and notes whether it was sent a payment, and whether the answer to that was lost. */
export function watchPayments(reach: VerbContext["reach"], onPaying: () => void) {
  const answers: Response[] = [];
  let isPaid = false;
  let lost: unknown = null;
  return {
    isPaid: () => isPaid,
    /** Whether a call that fails with `cause` lost its answer, also where a later answer does not tell what became of it. */
    isLost: (cause: unknown) => cause === lost,
    async reach(request: Request): Promise<Response> {
      const isPaying = request.headers.has(X402_HEADERS.PAYMENT_SIGNATURE);
      if (isPaying && !isPaid) onPaying();
      isPaid ||= isPaying;
      try {
        const response = await reach(request);
        answers.push(response);
        return response;
      } catch (cause) {
        // Another refusal of ours was made before anything was sent; a fault of ours may have come after it.
        const mayBeSent = !PaymentsError.is(cause) || LOST.includes(cause.code);
        if (isPaying && mayBeSent) lost = cause;
        throw cause;
      }
    },
    /** Closes the connections of answers that have no end. */
    release() {
      for (const { body } of answers) body?.cancel().catch(() => {});
    },
  };
}

type Ended = { key: string; isPaid: boolean; isLost: boolean; isKept: boolean };

/** The failure of a call, with its key where it may have been paid. */
export function outcomeOf(cause: unknown, { key, isPaid, isLost, isKept }: Ended): unknown {
  const isUnknown = PaymentsError.is(cause) && cause.code === "outcome_unknown";
  // What was thrown before this call paid anything says itself how to go on.
  if (!isLost && !(isUnknown && isPaid)) return cause;
  const isByExact = isUnknown && cause.payment !== undefined;
  const why = PaymentsError.is(cause) ? ` ${cause.message}` : "";
  const message = isByExact
    ? cause.message
    : `The answer to the paid request was lost, and it may have been charged.${why}`;
  const hint = repeatHint({ key, isByExact, isKept });
  return new PaymentsError("outcome_unknown", message, { cause, hint });
}

/** What a repeat of a paid call costs. */
export function repeatHint({
  key,
  isByExact,
  isKept,
}: Pick<Ended, "key" | "isKept"> & { isByExact: boolean }): string {
  const again = `Call again with the idempotency key ${key}`;
  if (isByExact) return `${again}: by \`exact\` it never pays twice.`;
  // The agent knows a repeat by its token, which only this process has.
  return isKept
    ? `${again} within ten minutes: an agent that recognizes the repeat answers without another charge. After a restart of this MCP server, or on another replica of it, the repeat may be charged again.`
    : "Check your activity before you call again: another call may be charged again.";
}
