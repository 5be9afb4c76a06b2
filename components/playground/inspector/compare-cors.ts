import { X402_HEADERS } from "@turnpike/payments/protocol";
import { type Exchange, headerOf } from "@/lib/playground/exchange.ts";
import { corsLines } from "../run/cors-lines.ts";

const NEEDED = [X402_HEADERS.PAYMENT_REQUIRED, X402_HEADERS.PAYMENT_RESPONSE];

/** What CORS hides from a page on `origin`, and the response headers that would expose it. */
export function compareCors(
  fromServer: Exchange,
  fromBrowser: Exchange,
  origin: string,
): { sentences: string[]; fix: string | null } {
  const fix = corsLines(fromServer.request, origin);
  const server = fromServer.answer;
  if (!server) {
    return { sentences: ["There is no response to compare."], fix: null };
  }
  if (!fromBrowser.answer) {
    const sentences = [
      `The server received ${server.status}; this page received no response.`,
      "The agent does not allow this site’s origin, or its preflight response does not allow payment-signature.",
    ];
    return { sentences, fix };
  }
  const hidden = NEEDED.filter(
    (name) => headerOf(server, name) !== null && headerOf(fromBrowser.answer, name) === null,
  );
  if (hidden.length > 0) {
    const sentences = [
      `Both received ${server.status}, but this page may not read ${hidden.join(" and ")}.`,
      "The agent does not list it in Access-Control-Expose-Headers, so a browser client cannot pay.",
    ];
    return { sentences, fix };
  }
  return {
    sentences: [
      `Both received ${server.status} and every payment header. A browser client can pay.`,
    ],
    fix: null,
  };
}
