import { PaymentsError } from "../../protocol/errors.ts";
import { visibleText } from "../../protocol/visible-text.ts";
import { decodeHeader } from "../../protocol/x402-headers.ts";
import { paidResponse } from "../paid-response.ts";
import { readRetryAfter } from "../read-answer.ts";
import { pause } from "../waiting/pause.ts";
import { isOfProxy, readBody } from "./read-body.ts";

/** As long as the reservation of a gate that died. */
const REPEAT_MS = 300_000;
/** How long to wait for a rate limit that does not say. */
const LIMITED_SECS = 5;
const NEVER = Number.POSITIVE_INFINITY;

/**
 * Asks for a lost reply again: once where the connection broke, and, where its seller knows a repeat by its key (`isNamed`), for up to
 * five minutes while the work goes on that a proxy did not wait for. Once a reply was lost, only an answer that tells what became of
 * the call is returned in its place, because the call may be paid for.
 */
export const repeating =
  <Payment>(
    once: (payment: Payment) => Promise<Response>,
    { signal, isNamed }: { signal: AbortSignal; isNamed: boolean },
  ) =>
  async (payment: Payment): Promise<Response> => {
    const until = performance.now() + REPEAT_MS;
    let broken: unknown;
    const send = () =>
      once(payment).catch((error) => {
        if (signal.aborted) throw error;
        broken = error;
        return null;
      });
    let lost = await send();
    if (lost && !(isNamed && (await isOfProxy(lost)))) return lost;
    for (;;) {
      const startedAt = performance.now();
      const answer = await send();
      if (answer && (await isOutcome(answer))) {
        cancel(lost);
        return answer;
      }
      const secs = answer && isNamed ? await readWait(answer) : NEVER;
      const now = performance.now();
      const nextAt = Math.max(now, startedAt + secs * 1000);
      const isLast = nextAt >= until;
      if (!lost && answer && (await isOfProxy(answer))) lost = answer;
      else if (isLast && !lost && answer) throw await unknownBy(answer, broken);
      else cancel(answer);
      if (isLast) {
        if (lost) return lost;
        throw broken;
      }
      await pause(nextAt - now, signal);
    }
  };

/** The failure of a call whose connection broke, and whose repeat leaves open what became of it. */
async function unknownBy(answer: Response, cause: unknown): Promise<PaymentsError> {
  const said = `${answer.status}${await reasonOf(answer)}`;
  cancel(answer);
  return new PaymentsError(
    "outcome_unknown",
    `The answer was lost, and the repeat was answered with ${said}.`,
    {
      cause,
      hint: "Call again with the same Idempotency-Key within ten minutes: it is not charged again.",
    },
  );
}

/** Why an answer refuses its call, with a colon before it; empty where it doesn't say. */
export async function reasonOf(response: Response): Promise<string> {
  const [receipt, required] = ["response", "required"].map(
    (name) => (decodeHeader(response.headers.get(`payment-${name}`) ?? "") ?? {}) as Said,
  );
  const { code, error } = ((await readBody(response)) ?? {}) as Said;
  const reason = [receipt?.errorReason, required?.error, code, error].find(
    (text) => typeof text === "string",
  );
  return typeof reason === "string"
    ? `: ${visibleText(reason.slice(0, 200)).replace(/\.$/, "")}`
    : "";
}
type Said = { [name in "errorReason" | "code" | "error"]?: unknown };

const cancel = (answer: Response | null) => void answer?.body?.cancel().catch(() => {});

/**
 * Whether an answer tells what became of its call, of which an earlier answer was lost. A gate names the request in it, or says that
 * neither credits nor a reservation were there for it. What else is refused may have been let through before.
 */
async function isOutcome(answer: Response): Promise<boolean> {
  const { receipt, agentRequestId } = paidResponse(answer);
  if (answer.ok || receipt) return true;
  const isNamed = agentRequestId !== null;
  if (answer.status !== 402 && answer.status !== 409) return isNamed;
  const code = (await readBody(answer))?.code;
  return isNamed ? code !== "idempotency_conflict" : code === "insufficient_balance";
}

/** In how many seconds to ask again; `Infinity` where an answer does not say that it helps. */
async function readWait(answer: Response): Promise<number> {
  const { status, headers } = answer;
  if (status === 504 || status === 524) return 1;
  if (status === 409) return (await readBody(answer))?.retryable === true ? 1 : NEVER;
  if (status !== 429 && status !== 503) return NEVER;
  const given = readRetryAfter(headers.get("retry-after"));
  return Math.max(1, given ?? (status === 429 ? LIMITED_SECS : NEVER));
}
