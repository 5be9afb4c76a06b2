import { X402_HEADERS } from "@turnpike/payments/protocol";
import type { Exchange, PlainRequest } from "../exchange.ts";
import { judgeUnpaid } from "./judge-answer.ts";
import type { StepContext, StepEnd } from "./step.ts";

/** Step 1: sends the request without a token, and continues with the 402. */
export async function requestWithoutPayment(context: StepContext): Promise<StepEnd<Exchange>> {
  const exchange = await sendRequest(context, null);
  const judgement = judgeUnpaid(exchange);
  return { ...judgement, exchange, found: judgement.outcome === "challenged" ? exchange : null };
}

/** The run's request; the token, if any, replaces a payment header that was typed by hand. */
export function requestOf(input: PlainRequest, token: string | null): PlainRequest {
  const { method, url, body } = input;
  const headers = input.headers.filter(
    ([name]) => name.toLowerCase() !== X402_HEADERS.PAYMENT_SIGNATURE,
  );
  if (token !== null) headers.push([X402_HEADERS.PAYMENT_SIGNATURE, token]);
  return { method, url, headers, body };
}

export function sendRequest(context: StepContext, token: string | null): Promise<Exchange> {
  const { input, transport, signal, onProgress, onPartial } = context;
  const { limitSecs } = input;
  return transport(requestOf(input, token), {
    ...{ signal, onProgress, onPartial },
    ...(limitSecs && { limitSecs }),
  });
}
