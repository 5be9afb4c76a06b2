import { readJson, X402_HEADERS } from "@turnpike/payments/protocol";
import { readReceipt } from "@/lib/playground/read-receipt.ts";
import { answerOf, type Exchange, headerOf, plainExchange } from "../exchange.ts";
import { member } from "../foreign-text.ts";
import {
  type Check,
  envelopeOf,
  error,
  fault,
  pass,
  type RefusedToken,
  type Seen,
  skip,
  warning,
} from "./check.ts";

const NONE_SENT = "No token was sent, because the endpoint did not require payment.";
/** The specification allows 401 for an invalid token too (§7.2). */
const REFUSALS = [400, 401, 402];

/** Tokens without a valid signature, so that nothing can be charged. */
export const TOKEN_CHECKS: readonly Check[] = [
  {
    ...error("D30", "Rejects malformed tokens"),
    seen: ({ refused }) => seenOf(refused, "unparsable", isNoRefusal),
    run: ({ refused }) => {
      const sent = sentOf(refused, "unparsable");
      if (sent.length === 0) return skip(NONE_SENT);
      const wrong = sent.find(isNoRefusal);
      return wrong
        ? fault(
            `A token ${wrong.what} got ${statusOf(wrong)}, not 402 or 400.`,
            "Return 402 with the offer if the payment-signature header is unreadable.",
          )
        : pass(`All ${sent.length} malformed tokens were rejected.`);
    },
  },
  {
    ...error("D31", "Rejects invalid tokens"),
    seen: ({ refused }) => seenOf(refused, "forged", isServed),
    run: ({ refused }) => {
      const sent = sentOf(refused, "forged");
      if (sent.length === 0) return skip(NONE_SENT);
      const wrong = sent.find(isServed);
      return wrong
        ? fault(
            `A token ${wrong.what} was accepted (${statusOf(wrong)}). Anyone can call without paying.`,
            "Use the gate, which verifies every token with the service before the agent runs.",
          )
        : pass(`Rejected before the agent ran: tokens ${sent.map(({ what }) => what).join(", ")}.`);
    },
  },
  {
    ...warning("D32", "Explains rejected tokens"),
    seen: ({ refused }) => seenOf(refused, "forged", () => true),
    run: ({ refused, ask }) => {
      const answers = (refused ?? []).filter(({ exchange }) => {
        const status = answerOf(exchange)?.status;
        return status !== undefined && REFUSALS.includes(status);
      });
      if (answers.length === 0) return skip("No token was rejected.");
      const silent = answers.find(({ exchange }) => reasonIn(exchange, ask) === null);
      const [first] = answers;
      return silent
        ? fault(
            `A token ${silent.what} gets the same response as no token, so callers cannot tell what to fix.`,
            "Add a reason such as invalid_token to the body or the envelope's error field.",
          )
        : pass(`The response says ${reasonIn((first as RefusedToken).exchange, ask)}.`);
    },
  },
];

const sentOf = (refused: readonly RefusedToken[] | undefined, kind: RefusedToken["kind"]) =>
  (refused ?? []).filter((one) => one.kind === kind);

function seenOf(
  refused: readonly RefusedToken[] | undefined,
  kind: RefusedToken["kind"],
  isOne: (sent: RefusedToken) => boolean,
): Seen | null {
  const sent = sentOf(refused, kind);
  const one = sent.find(isOne) ?? sent[0];
  return one ? { exchange: one.exchange, how: `with a token ${one.what}` } : null;
}

const statusOf = ({ exchange }: RefusedToken): string =>
  String(answerOf(exchange)?.status ?? "no response");

const isNoRefusal = ({ exchange }: RefusedToken): boolean =>
  !REFUSALS.includes(answerOf(exchange)?.status ?? 0);

/** Whether the agent ran: it responded, or a receipt says that it was paid. */
function isServed({ exchange }: RefusedToken): boolean {
  const status = answerOf(exchange)?.status;
  if (status === undefined) return false;
  return status < 400 || readReceipt(plainExchange(exchange)).kind === "settled";
}

const CODES =
  /\b(invalid_token|expired_token|insufficient_balance|invalid_plan|invalid_agent|invalid_signature|invalid_payload)\b/;
const WORDS = ["error", "code", "reason", "message", "detail", "invalidReason", "errorReason"];

/** The reason for the rejection, wherever a caller can read it; null if nothing distinguishes it from a request without a token. */
export function reasonIn(exchange: Exchange, ask: Exchange): string | null {
  const texts = [answerOf(exchange)?.text ?? "", JSON.stringify(envelopeOf(exchange))];
  for (const name of [X402_HEADERS.PAYMENT_RESPONSE, "x-payment-error", "www-authenticate"]) {
    texts.push(headerOf(exchange, name) ?? "");
  }
  for (const text of texts) {
    const [code] = CODES.exec(text) ?? [];
    if (code) return code;
  }
  const [said, unpaid] = [wordsOf(exchange), wordsOf(ask)];
  return said.find((word) => !unpaid.includes(word)) ?? null;
}

function wordsOf(exchange: Exchange): string[] {
  const text = answerOf(exchange)?.text ?? "";
  const sources = [readJson(text), envelopeOf(exchange)];
  const words = sources.flatMap((source) => WORDS.map((word) => member(source, word)));
  const named = words.filter((word): word is string => typeof word === "string" && word !== "");
  return named.map((word) => word.slice(0, 200));
}
