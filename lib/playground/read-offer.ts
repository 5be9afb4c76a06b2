import {
  decodeBase64,
  type PaymentOffer,
  planIdOf,
  readScheme,
  SCHEMES,
  X402_HEADERS,
  X402_VERSION,
  X402PaymentRequired,
} from "@turnpike/payments/protocol";
import { type Exchange, headerOf, jsonOf } from "./exchange.ts";
import type { OutcomeCode } from "./outcomes.ts";
import type { Fact } from "./run.ts";

/** What a 402 asks for, as read and compared; `requirement` is null when no client could read it. */
export type ReadOffer = {
  outcome: OutcomeCode;
  values: Record<string, string>;
  facts: Fact[];
  requirement: X402PaymentRequired | null;
  /** The offers this product can pay. */
  payable: PaymentOffer[];
  /** The decoded document, also when it does not fit. */
  decoded: unknown;
};

const unreadable = (
  outcome: OutcomeCode,
  values: Record<string, string>,
  facts: Fact[] = [],
  decoded: unknown = null,
): ReadOffer => ({ outcome, values, facts, requirement: null, payable: [], decoded });

/** Reads the offer of a 402: header first, as clients do, then the body. Never throws. */
export function readOffer(exchange: Exchange): ReadOffer {
  const { answer, request } = exchange;
  const header = headerOf(answer, X402_HEADERS.PAYMENT_REQUIRED);
  const inBody = (jsonOf(answer) as { paymentRequired?: unknown } | undefined)?.paymentRequired;
  if (header === null) {
    if (inBody === undefined) return unreadable("offer-missing", {});
    const offer = readDocument(inBody, request);
    const fact: Fact = {
      name: "payment-required",
      value: "missing",
      holds: false,
      note: "the offer stands in the body only",
    };
    return withFlag(offer, fact);
  }
  const text = decodeBase64(header);
  if (text === null) return unreadable("offer-unreadable", { expected: "base64" });
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return unreadable("offer-unreadable", { expected: "base64 of JSON" });
  }
  return readDocument(document, request);
}

function readDocument(document: unknown, request: Exchange["request"]): ReadOffer {
  const version = (document as { x402Version?: unknown } | null)?.x402Version;
  if (version !== X402_VERSION) {
    const values = { version: version === undefined ? "missing" : String(version) };
    return unreadable("offer-wrong-version", values, [], document);
  }
  const parsed = X402PaymentRequired.safeParse(document);
  if (!parsed.success) {
    const facts = parsed.error.issues.map(
      ({ path, message }): Fact => ({
        name: path.join("."),
        value: "",
        holds: false,
        note: message,
      }),
    );
    const first = facts[0] ? `${facts[0].name}: ${facts[0].note}` : "";
    return unreadable("offer-malformed", { first }, facts, document);
  }
  const requirement = parsed.data;
  const facts = compare(requirement, document, request);
  const payable = requirement.accepts.filter(
    (offer) => readScheme(offer.scheme) !== null && planIdOf(offer) !== undefined,
  );
  const base = { facts, requirement, payable, decoded: document };
  if (payable.length === 0) {
    const schemes = [...new Set(requirement.accepts.map(({ scheme }) => `‘${scheme}’`))].join(", ");
    return { ...base, outcome: "offer-foreign", values: { schemes } };
  }
  const count = `${payable.length} ${payable.length === 1 ? "offer" : "offers"}`;
  const flags = facts.filter(({ holds }) => holds === false);
  const [first] = flags;
  if (!first) return { ...base, outcome: "offer-valid", values: { count, plans: "" } };
  const values = {
    count,
    flags: `${flags.length} ${flags.length === 1 ? "thing" : "things"}`,
    first: `${first.name} ${first.note}`,
  };
  return { ...base, outcome: "offer-flagged", values };
}

function withFlag(offer: ReadOffer, fact: Fact): ReadOffer {
  const facts = [fact, ...offer.facts];
  if (offer.outcome !== "offer-valid" && offer.outcome !== "offer-flagged")
    return { ...offer, facts };
  const flags = facts.filter(({ holds }) => holds === false).length;
  const { count } = offer.values;
  return {
    ...offer,
    facts,
    outcome: "offer-flagged",
    values: {
      count: count ?? "",
      flags: `${flags} ${flags === 1 ? "thing" : "things"}`,
      first: `${fact.name} ${fact.note}`,
    },
  };
}

/** What the offer says beside what it should say for this request. */
function compare(
  requirement: X402PaymentRequired,
  document: unknown,
  request: Exchange["request"],
): Fact[] {
  const { resource, accepts } = requirement;
  const url = resource?.url;
  const misplaced = (document as { resource?: { httpVerb?: unknown } }).resource?.httpVerb;
  return [
    { name: "x402Version", value: "2", holds: true, note: "equals 2" },
    {
      name: "resource.url",
      value: url ?? "missing",
      ...(url === undefined
        ? { holds: false, note: "is missing" }
        : samePlace(url, request.url)
          ? { holds: true, note: "equals the called URL" }
          : { holds: false, note: "is not the called URL" }),
    },
    ...(misplaced === undefined
      ? []
      : [
          {
            name: "resource.httpVerb",
            value: String(misplaced),
            holds: false,
            note: "belongs into extra",
          },
        ]),
    ...accepts.flatMap((offer, index) => compareOffer(offer, index, request)),
  ];
}

function compareOffer(offer: PaymentOffer, index: number, request: Exchange["request"]): Fact[] {
  const at = `accepts[${index}]`;
  const scheme = readScheme(offer.scheme);
  if (!scheme) {
    return [
      { name: `${at}.scheme`, value: offer.scheme, holds: null, note: "another kind of payment" },
      { name: `${at}.network`, value: offer.network ?? "missing", holds: null, note: "" },
      { name: `${at}.amount`, value: offer.amount ?? "missing", holds: null, note: "" },
      { name: `${at}.payTo`, value: offer.payTo ?? "missing", holds: null, note: "" },
    ];
  }
  const verb = offer.extra?.httpVerb;
  const isCard = scheme === "svc:card-delegation";
  const fits = isCard
    ? ["card-processor", "stripe", undefined].includes(offer.network)
    : (offer.network ?? SCHEMES[scheme].network).startsWith("eip155:");
  return [
    { name: `${at}.scheme`, value: offer.scheme, holds: true, note: "known" },
    {
      name: `${at}.network`,
      value: offer.network ?? "missing",
      holds: fits,
      note: fits ? "pairs with the scheme" : `does not pair with ${offer.scheme}`,
    },
    planIdOf(offer) === undefined
      ? { name: `${at}.planId`, value: "missing", holds: false, note: "is missing" }
      : { name: `${at}.planId`, value: planIdOf(offer) ?? "", holds: null, note: "" },
    ...(verb === undefined
      ? []
      : [
          {
            name: `${at}.extra.httpVerb`,
            value: verb,
            holds: verb.toUpperCase() === request.method,
            note:
              verb.toUpperCase() === request.method
                ? "equals the method"
                : `is not ${request.method}`,
          },
        ]),
  ];
}

/** Gates behind a proxy know their path, not always their name: only the path must agree. */
function samePlace(a: string, b: string): boolean {
  if (!URL.canParse(a) || !URL.canParse(b)) return false;
  const [one, other] = [new URL(a), new URL(b)];
  return one.pathname === other.pathname;
}
