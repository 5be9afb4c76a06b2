import { X402_HEADERS } from "@turnpike/payments/protocol";
import { answerOf, type Exchange, headerOf } from "../exchange.ts";
import {
  type Check,
  envelopeOf,
  error,
  fault,
  info,
  isEarlier,
  isJsonRpc,
  offerHeader,
  onAsked,
  pass,
  type Recording,
  type Seen,
  skip,
  warning,
} from "./check.ts";

const MAX_HEADER = 8 * 1024;
const MAX_MS = 500;
const ASKS = 10;

/** An offer without `challengeId`, which is another in each 402 for payments by `exact`. */
const stableOffer = (exchange: Exchange): string =>
  JSON.stringify(envelopeOf(exchange), (name, value) => (name === "challengeId" ? "" : value));

export const ANSWER_CHECKS: readonly Check[] = [
  {
    ...error("D01", "Reachable over valid TLS"),
    run: ({ ask }) => {
      const { outcome } = ask;
      return outcome.kind === "answered"
        ? pass(`Responded in ${outcome.ms} ms.`)
        : fault(outcome.message, "Serve it at a public address with a valid certificate.");
    },
  },
  {
    ...error("D02", "Requires payment"),
    run: ({ ask, verb }) => {
      const answer = answerOf(ask);
      if (!answer) return skip("The endpoint did not respond (D01).");
      if (answer.status === 402) return pass(`${verb} without a token returns 402.`);
      if (isJsonRpc(ask)) {
        return envelopeOf(ask)
          ? pass("The tool asks for payment in its result.")
          : skip("An MCP server asks for payment in the results of its tools.");
      }
      return fault(
        describeStatus(answer.status, verb, headerOf(ask, "location")),
        answer.status >= 500
          ? "Read the agent's log for the cause. The gate answers 500 if its API key is revoked or its price is not valid."
          : "Put the gate in front of this route and method, ahead of any other handler.",
      );
    },
  },
  {
    ...warning("D12", "Header under 8 KiB"),
    run: onAsked(({ ask }) => {
      const header = offerHeader(ask);
      if (header === null) return skip("The response has no offer (D03).");
      return header.length < MAX_HEADER
        ? pass(`The header is ${header.length} bytes.`)
        : fault(
            `The header is ${header.length} bytes. Many proxies drop responses with more than 8 KiB of headers.`,
            "Offer fewer plans or shorten the description.",
          );
    }),
  },
  {
    ...warning("D13", "Not cached"),
    run: onAsked(({ ask }) =>
      /\bno-store\b/i.test(headerOf(ask, "cache-control") ?? "")
        ? pass("Cache-Control is no-store.")
        : fault(
            "A cache may store the 402 and serve it to callers who have paid.",
            "Send Cache-Control: no-store with every gated response.",
          ),
    ),
  },
  {
    ...warning("D14", "Browsers can pay"),
    seen: ({ preflight }) => seen(preflight, "as a browser preflight"),
    run: onAsked(({ ask, preflight }) => {
      if (!preflight) return skip("No browser request was made.");
      const envelope = envelopeOf(ask);
      if (envelope && isEarlier(envelope)) return skip("Version 1 has other headers.");
      if (![ask, preflight].some((answer) => headerOf(answer, "access-control-allow-origin"))) {
        return skip(
          "Pages on other origins may not call this endpoint. Other clients need no CORS.",
        );
      }
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
        ? pass("CORS lets pages send the token and read both headers.")
        : fault(
            `Pages on other origins cannot use ${missing.join(", ")}.`,
            `Send Access-Control-Allow-Headers: ${PAYMENT_SIGNATURE} in the OPTIONS response, and Access-Control-Expose-Headers: ${PAYMENT_REQUIRED}, ${PAYMENT_RESPONSE} in every response.`,
          );
    }),
  },
  {
    ...warning("D15", "Browsers get the offer"),
    seen: ({ html }) => seen(html, "with Accept: text/html"),
    run: onAsked(({ ask, html }) => {
      if (!html) return skip("No browser request was made.");
      const envelope = envelopeOf(ask);
      if (!envelope) return skip("The offer is unreadable (D03).");
      if (isEarlier(envelope)) return skip("Version 1 shows browsers a page.");
      return answerOf(html)?.status === 402 && envelopeOf(html)
        ? pass("The header is present with Accept: text/html.")
        : fault(
            "The offer is missing with Accept: text/html.",
            "Send the payment-required header regardless of the Accept header.",
          );
    }),
  },
  {
    ...error("D17", "Open endpoints work without a token"),
    seen: ({ open }) => seen(open?.find(isClosed) ?? open?.[0], "without a token"),
    run: ({ open }) => {
      if (!open || open.length === 0) return skip("No open endpoint is registered.");
      const closed = open.filter(isClosed);
      return closed.length === 0
        ? pass(`${open.length} responded.`)
        : fault(
            `${closed.map(({ url }) => url).join(", ")} did not respond without a token.`,
            "Remove open endpoints from the gate's routes, or from the list of open endpoints.",
          );
    },
  },
  {
    ...info("D18", "Other paths are not gated"),
    seen: ({ unmatched }) => seen(unmatched, "without a token"),
    run: ({ unmatched }) => {
      const status = unmatched && answerOf(unmatched)?.status;
      if (status === undefined) return skip("The path did not respond.");
      return status === 402
        ? fault(
            "A path that is not an endpoint also requires payment.",
            "Gate individual routes, not all paths.",
          )
        : pass(`A path that is not an endpoint is not gated (${status}).`);
    },
  },
  {
    ...warning("D19", "Placeholders match"),
    seen: ({ otherValues }) => seen(otherValues, "without a token"),
    run: ({ otherValues, ask }) => {
      if (!otherValues) return skip("The URL has no placeholders.");
      if (answerOf(ask)?.status !== 402) return skip("The endpoint did not require payment (D02).");
      const status = answerOf(otherValues)?.status;
      return status === 402
        ? pass("Other values are also gated.")
        : fault(
            `Other values return ${status ?? "no response"}, not 402.`,
            "Use the same placeholders in the gate's route, as :name or {name}.",
          );
    },
  },
  {
    ...info("D20", "Stable offer"),
    seen: ({ again }) => seen(again, "again without a token"),
    run: onAsked(({ ask, again }) => {
      if (!again) return skip("Only one request was made.");
      return stableOffer(ask) === stableOffer(again)
        ? pass("A second request got the same offer.")
        : fault("A second request within five seconds got a different offer.");
    }),
  },
  {
    ...warning("D21", "Fast 402 responses"),
    run: onAsked(({ askMs }) => judgeTimes(askMs)),
  },
  {
    ...warning("D24", "Streaming"),
    run: onAsked(({ isStream }) =>
      isStream
        ? fault(
            "This route streams. The gate may buffer the response until it is settled.",
            "Use a route that returns a single response, or a gate that settles streams.",
          )
        : skip("The route does not stream."),
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
  if (!askMs || askMs.length < ASKS) return skip("Fewer than ten requests were made.");
  const sorted = [...askMs].sort((a, b) => a - b);
  const p95 = sorted[Math.ceil(sorted.length * 0.95) - 1] as number;
  return p95 <= MAX_MS
    ? pass(`p95 of ${askMs.length} requests: 402 after ${p95} ms.`)
    : fault(
        `p95 of ${askMs.length} requests: 402 after ${p95} ms, which adds to every first call.`,
      );
}

function describeStatus(status: number, verb: string, location: string | null): string {
  if (status >= 200 && status < 300) return `${verb} works without payment (${status}).`;
  if (status >= 300 && status < 400) {
    return `It redirects${location ? ` to ${location.slice(0, 200)}` : ""} (${status}). Clients do not follow redirects.`;
  }
  if (status === 401 || status === 403) {
    return `It requires a login before payment (${status}).`;
  }
  if (status === 404) return `${verb} is not found at this URL (404).`;
  if (status === 405 || status === 501) return `It does not allow ${verb} (${status}).`;
  if (status >= 500) return `It failed before requiring payment (${status}).`;
  return `It returned ${status} instead of 402.`;
}

const listIn = (header: string | null): string[] =>
  (header ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim());
