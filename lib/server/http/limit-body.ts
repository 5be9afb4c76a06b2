import type { IncomingMessage, ServerResponse } from "node:http";
import type { PaymentsError } from "@turnpike/payments/protocol";
import type { Log } from "@/lib/domain/ports.ts";
import { errorAnswer } from "../pipeline/error-answer.ts";
import { tooLarge } from "../pipeline/read-input.ts";

const silent: Log = { info: () => {}, warn: () => {}, error: () => {} };

/**
 * Closes the connection of a request as soon as more than `maxBytes` of its body have come, also while
 * no one reads it, and answers 413 if nothing was answered. False when its declared length is too much already: the request is answered.
 *
 * @example if (limitBody(request, response, { maxBytes: 65_536, origin })) handle(request, response);
 */
export function limitBody(
  request: IncomingMessage,
  response: ServerResponse,
  { maxBytes, origin }: { maxBytes: number; origin: string },
): boolean {
  const refuse = () => sendRefusal(response, tooLarge(maxBytes), origin);
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) {
    refuse();
    return false;
  }
  // Every part of the body passes `push`; a listener for data would start the stream before its reader is there.
  const push = request.push.bind(request);
  let bytes = 0;
  request.push = (chunk: Buffer | null, encoding) => {
    bytes += chunk?.length ?? 0;
    if (bytes <= maxBytes) return push(chunk, encoding);
    if (response.headersSent) request.socket.destroySoon();
    else refuse();
    return false;
  };
  return true;
}

/** Answers with an error that is the client's. */
export const sendRefusal = (response: ServerResponse, cause: PaymentsError, origin: string) =>
  void sendResponse(response, errorAnswer(cause, crypto.randomUUID(), { origin, log: silent }));

export async function sendResponse(response: ServerResponse, answer: Response): Promise<void> {
  const text = await answer.text();
  if (response.headersSent) return;
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(text);
}
