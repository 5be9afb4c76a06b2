import { inTime } from "../client/waiting/in-time.ts";
import { PaymentsError } from "../protocol/errors.ts";
import { X402_HEADERS } from "../protocol/x402-headers.ts";
import type { VerbContext } from "./verb.ts";

/** How long an agent has to begin its answer: to a request without payment, and to a paid one. */
const SECS = { unpaid: 60, paid: 300 };

export const AGENT_LIMITS = `The agent has ${SECS.unpaid} s to begin its answer, ${SECS.paid} s once it was sent a payment.`;

/** Reaches an agent within its time. Its failures speak of the agent: the client's own are of the service. */
export const reachAgent =
  (reach: VerbContext["reach"]): VerbContext["reach"] =>
  async (request) => {
    const isPaid = request.headers.has(X402_HEADERS.PAYMENT_SIGNATURE);
    const secs = isPaid ? SECS.paid : SECS.unpaid;
    const limit = new AbortController();
    const signal = AbortSignal.any([request.signal, limit.signal]);
    const answering = reach(new Request(request, { signal })).catch(ofAgent);
    const answer = await inTime(answering, secs * 1000);
    if (answer) return answer;
    answering.then(({ body }) => body?.cancel()).catch(() => {});
    limit.abort();
    throw new PaymentsError(
      "timeout",
      `${request.url} did not begin its answer within ${secs} s.`,
      // What a paid call may have cost is said by its verb.
      { hint: "Nothing was paid. Check the agent's URL, or call again later." },
    );
  };

function ofAgent(cause: unknown): never {
  if (!PaymentsError.is(cause) || cause.code !== "network_error") throw cause;
  const hint = "Check the agent's URL and that the agent runs.";
  throw new PaymentsError("network_error", cause.message, { cause, hint });
}
