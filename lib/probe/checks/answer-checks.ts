import { X402_HEADERS } from "@turnpike/payments/protocol";
import { answerOf, type Exchange, headerOf } from "../exchange.ts";
import {
  type Check,
  envelopeOf,
  fault,
  offerHeader,
  onAsked,
  pass,
  type Recording,
  type Seen,
  skip,
} from "./check.ts";

const MAX_HEADER = 8 * 1024;
const MAX_MS = 500;
const ASKS = 10;

/** Checks of how an endpoint answers. */
export const ANSWER_CHECKS: readonly Check[] = [
  {
    id: "D01",
    severity: "error",
    title: "Reachable, with sound TLS",
    run: ({ ask }) => {
      const { outcome } = ask;
      return outcome.kind === "answered"
        ? pass(`Answered in ${outcome.ms} ms.`)
        : fault(
            outcome.message,
            "Give it a public address that answers, with a valid certificate.",
          );
    },
  },
  {
    id: "D02",
    severity: "error",
    title: "Asks for payment",
    run: ({ ask, verb }) => {
      const answer = answerOf(ask);
      if (!answer) return skip("Nobody answered (D01).");
      if (answer.status === 402) return pass(`402 to ${verb} without a token.`);
      return fault(
        describeStatus(answer.status, verb, headerOf(ask, "location")),
        "Put the gate in front of this route, for this method, before anything else that answers.",
      );
    },
  },
  {
    id: "D12",
    severity: "warning",
    title: "Header under 8 KiB",
    run: onAsked(({ ask }) => {
      const header = offerHeader(ask);
      if (header === null) return skip("There is no offer (D03).");
      return header.length < MAX_HEADER
        ? pass(`${header.length} bytes.`)
        : fault(
            `The header has ${header.length} bytes; many proxies drop answers above 8 KiB.`,
            "Offer fewer plans, or shorten the description.",
          );
    }),
  },
  {
    id: "D13",
    severity: "warning",
    title: "Not kept by caches",
    run: onAsked(({ ask }) =>
      /\bno-store\b/i.test(headerOf(ask, "cache-control") ?? "")
        ? pass("Cache-Control says no-store.")
        : fault(
            "A cache may keep the 402 and show it to who has paid.",
            "Send Cache-Control: no-store on every gated answer.",
          ),
    ),
  },
  {
    id: "D14",
    severity: "warning",
    title: "Browsers can pay",
    seen: ({ preflight }) => seen(preflight, "as a browser asks beforehand"),
    run: onAsked(({ ask, preflight }) => {
      if (!preflight) return skip("It was not asked as a browser asks.");
      const allowed = listIn(headerOf(preflight, "access-control-allow-headers"));
      const exposed = listIn(headerOf(ask, "access-control-expose-headers"));
      const { PAYMENT_SIGNATURE, PAYMENT_REQUIRED, PAYMENT_RESPONSE } = X402_HEADERS;
      const missing = [
        ...[PAYMENT_SIGNATURE].filter((name) => !allowed.includes(name) && !allowed.includes("*")),
        ...[PAYMENT_REQUIRED, PAYMENT_RESPONSE].filter(
          (name) => !exposed.includes(name) && !exposed.includes("*"),
        ),
      ];
      return missing.length === 0
        ? pass("CORS lets pages send the token and read both answers.")
        : fault(
            `A page on another origin cannot use ${missing.join(", ")}.`,
            `Answer OPTIONS with Access-Control-Allow-Headers: ${PAYMENT_SIGNATURE}, and every answer with Access-Control-Expose-Headers: ${PAYMENT_REQUIRED}, ${PAYMENT_RESPONSE}.`,
          );
    }),
  },
  {
    id: "D15",
    severity: "warning",
    title: "Browsers get the offer too",
    seen: ({ html }) => seen(html, "with Accept: text/html"),
    run: onAsked(({ ask, html }) => {
      if (!html) return skip("It was not asked as a browser asks.");
      if (!envelopeOf(ask)) return skip("The offer cannot be read (D03).");
      return answerOf(html)?.status === 402 && envelopeOf(html)
        ? pass("With Accept: text/html the header is there.")
        : fault(
            "With Accept: text/html the offer is missing.",
            "Send the payment-required header whatever the Accept header says.",
          );
    }),
  },
  {
    id: "D17",
    severity: "error",
    title: "Open endpoints answer without a token",
    seen: ({ open }) => seen(open?.find(isClosed) ?? open?.[0], "without a token"),
    run: ({ open }) => {
      if (!open || open.length === 0) return skip("No open endpoint is registered.");
      const closed = open.filter(isClosed);
      return closed.length === 0
        ? pass(`${open.length} answered.`)
        : fault(
            `${closed.map(({ url }) => url).join(", ")} did not answer freely.`,
            "Leave open endpoints out of the gate's routes, or take them off the list.",
          );
    },
  },
  {
    id: "D18",
    severity: "info",
    title: "Unmatched paths pass",
    seen: ({ unmatched }) => seen(unmatched, "without a token"),
    run: ({ unmatched }) => {
      const status = unmatched && answerOf(unmatched)?.status;
      if (status === undefined) return skip("The path did not answer.");
      return status === 402
        ? fault(
            "A path that is no endpoint asks for payment too.",
            "Gate single routes, not all paths.",
          )
        : pass(`A path that is no endpoint is not gated (${status}).`);
    },
  },
  {
    id: "D19",
    severity: "warning",
    title: "Placeholders match",
    seen: ({ otherValues }) => seen(otherValues, "without a token"),
    run: ({ otherValues, ask }) => {
      if (!otherValues) return skip("The address has no placeholder.");
      if (answerOf(ask)?.status !== 402) return skip("It did not ask for payment (D02).");
      const status = answerOf(otherValues)?.status;
      return status === 402
        ? pass("Other values are gated too.")
        : fault(
            `With other values the answer is ${status ?? "none"}, not 402.`,
            "Write the gate's route with the same placeholders, as :name or {name}.",
          );
    },
  },
  {
    id: "D20",
    severity: "info",
    title: "The same offer twice",
    seen: ({ again }) => seen(again, "once more without a token"),
    run: onAsked(({ ask, again }) => {
      if (!again) return skip("It was asked once only.");
      return offerHeader(ask) === offerHeader(again)
        ? pass("Asked again, the envelope was the same.")
        : fault("Asked again within five seconds, the envelope was another.");
    }),
  },
  {
    id: "D21",
    severity: "warning",
    title: "Asks quickly",
    run: onAsked(({ askMs }) => judgeTimes(askMs)),
  },
  {
    id: "D24",
    severity: "warning",
    title: "Streams are buffered",
    run: onAsked(({ isStream }) =>
      isStream
        ? fault(
            "This route streams; behind the gate its answer may be held until it is settled.",
            "Use a route that ends in one answer, or a gate that settles streams.",
          )
        : skip("Nothing says that it streams."),
    ),
  },
];

const seen = (exchange: Exchange | undefined, how: string): Seen | null =>
  exchange ? { exchange, how } : null;

function isClosed(exchange: Exchange): boolean {
  const status = answerOf(exchange)?.status;
  return status === undefined || status >= 400;
}

function judgeTimes(askMs: Recording["askMs"]) {
  if (!askMs || askMs.length < ASKS) return skip("It was asked fewer than ten times.");
  const sorted = [...askMs].sort((a, b) => a - b);
  const p95 = sorted[Math.ceil(sorted.length * 0.95) - 1] as number;
  return p95 <= MAX_MS
    ? pass(`402 within ${p95} ms at p95 of ${askMs.length}.`)
    : fault(`402 took ${p95} ms at p95 of ${askMs.length}; callers wait for it each time.`);
}

function describeStatus(status: number, verb: string, location: string | null): string {
  if (status >= 200 && status < 300) return `${verb} was answered for free (${status}).`;
  if (status >= 300 && status < 400) {
    return `It redirects${location ? ` to ${location.slice(0, 200)}` : ""} (${status}); redirects are not followed.`;
  }
  if (status === 401 || status === 403) {
    return `It wants a login of its own before it asks for payment (${status}).`;
  }
  if (status === 404) return `There is nothing for ${verb} at this URL (404).`;
  if (status === 405 || status === 501) return `It does not take ${verb} (${status}).`;
  if (status >= 500) return `It failed before it asked for payment (${status}).`;
  return `It answered ${status} before it asked for payment.`;
}

const listIn = (header: string | null): string[] =>
  (header ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim());
