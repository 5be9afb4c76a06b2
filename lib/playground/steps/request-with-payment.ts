import {
  type Exchange,
  type HeaderLine,
  headerOf,
  jsonOf,
  type PlainAnswer,
  TOKEN_NAME,
} from "../exchange.ts";
import { judgePayment } from "./check-payment.ts";
import type { Permission } from "./choose-permission.ts";
import { type PaidAnswer, wasReleased } from "./find-settlement.ts";
import { judgePaid } from "./judge-answer.ts";
import { sendRequest } from "./request-without-payment.ts";
import type { StepContext, StepEnd } from "./step.ts";
import type { VerifiedToken } from "./verify-token.ts";

type Given = { permission: Permission; verified: VerifiedToken };

/** Step 5: sends the request again with the token, and continues with a 2xx response. */
export async function requestWithPayment(
  context: StepContext,
  { permission, verified }: Given,
): Promise<StepEnd<PaidAnswer>> {
  const { token } = permission;
  const onPartial: StepContext["onPartial"] = (answer) =>
    context.onPartial(cleanAnswer(answer, token));
  const exchange = await sendRequest({ ...context, onPartial }, token);
  const agentRequestId = headerOf(exchange.answer, "payment-request-id");
  if (permission.exact) {
    const judged = await judgePayment(context.service, exchange, permission.exact);
    return { ...judged, exchange: withoutToken(exchange, token) };
  }
  const { outcome, values } = judgePaid(exchange, verified.verdict);
  const hasFailed = outcome === "agent-failed" || outcome === "agent-refused";
  const isUnknown = hasFailed && !(await wasReleased(context, agentRequestId));
  const isAnswered = outcome === "answered" || outcome === "answer-cut";
  return {
    outcome: isUnknown ? "agent-failed-unknown" : outcome,
    // The gate reserved credits that the token had to order first.
    values: hasFailed && verified.topsUp ? { ...values, order: ORDERED } : values,
    exchange: withoutToken(exchange, token),
    reason: isUnknown ? null : refusalCode(exchange),
    changes: { agentRequestId },
    found: isAnswered ? { exchange, agentRequestId } : null,
  };
}

const ORDERED = " The plan was ordered for this call. What it bought remains.";

const clean = (text: string, token: string) =>
  token === "" ? text : text.replaceAll(token, TOKEN_NAME);
const cleanHeaders = (headers: readonly HeaderLine[], token: string) =>
  headers.map(([name, value]): HeaderLine => [name, clean(value, token)]);
const cleanAnswer = (answer: PlainAnswer, token: string): PlainAnswer => ({
  ...answer,
  headers: cleanHeaders(answer.headers, token),
  body: clean(answer.body, token),
});

/** The exchange as it may be shown and kept: without the token, even where the agent echoed it. */
function withoutToken(exchange: Exchange, token: string): Exchange {
  const { request, answer, failure } = exchange;
  return {
    ...exchange,
    request: { ...request, headers: cleanHeaders(request.headers, token) },
    answer: answer && cleanAnswer(answer, token),
    failure: failure && { ...failure, message: clean(failure.message, token) },
  };
}

/** The gate's own code for not letting the request through. */
function refusalCode({ answer }: Exchange): string | null {
  if (answer?.status !== 402 && answer?.status !== 503) return null;
  const code = (jsonOf(answer) as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" && code.length <= 64 ? code : null;
}
