import {
  canParseUrl,
  decodeBase64,
  networkOf,
  type PaymentOffer,
  planIdOf,
  readJson,
  readScheme,
  withOtherOffers,
  X402_HEADERS,
  X402_VERSION,
  X402PaymentRequired,
} from "@turnpike/payments/protocol";
import { plural } from "@/lib/text/plural.ts";
import { textOf } from "@/lib/text/text-of.ts";
import { type Exchange, headerOf, jsonOf } from "../exchange.ts";
import {
  isEarlierVersion,
  isTransferOffer,
  judgeDirectOffer,
  judgeEarlierVersion,
  numbered,
} from "../foreign-offer.ts";
import { directCost } from "../offer-cost.ts";
import type { Judgement, OutcomeCode } from "../outcomes.ts";
import { type Fact, fact } from "../run.ts";

/** What a 402 asks for, checked; `requirement` is null when no client could read it. */
export type ReadOffer = Judgement & {
  facts: Fact[];
  requirement: X402PaymentRequired | null;
  /** The offers this product can pay. */
  payable: PaymentOffer[];
};

const unreadable = (
  outcome: OutcomeCode,
  values: Record<string, string>,
  facts: Fact[] = [],
): ReadOffer => ({ outcome, values, facts, requirement: null, payable: [] });

/** Reads the offer of a 402: the header first, as clients do, then the body. Never throws. */
export function readOffer({ answer, request, seenBy }: Exchange): ReadOffer {
  const header = headerOf(answer, X402_HEADERS.PAYMENT_REQUIRED);
  if (header === null) {
    const inBody = offerInBody(jsonOf(answer));
    if (inBody === undefined) {
      // A browser hides the headers that the agent does not expose to it.
      return unreadable(seenBy === "browser" ? "offer-hidden" : "offer-missing", {});
    }
    const missing = fact("payment-required", "missing", false, "the offer is in the body only");
    const offer = readDocument(inBody, request);
    const facts = [missing, ...offer.facts];
    return offer.payable.length > 0 ? judge({ ...offer, facts }) : { ...offer, facts };
  }
  const text = decodeBase64(header);
  if (text === null) return unreadable("offer-unreadable", { expected: "base64" });
  const document = readJson(text);
  return document === undefined
    ? unreadable("offer-unreadable", { expected: "base64-encoded JSON" })
    : readDocument(document, request, jsonOf(answer));
}

/** The offer in a body: under `paymentRequired`, or as the body itself, as version 1 sends it. */
function offerInBody(body: unknown): unknown {
  const given = (body ?? {}) as { paymentRequired?: unknown; x402Version?: unknown };
  return given.paymentRequired ?? (given.x402Version === undefined ? undefined : body);
}

/** A sentence about what the first offer of another protocol costs; empty where it does not say. */
function costText(accepts: unknown): string {
  const cost = directCost(Array.isArray(accepts) ? accepts[0] : undefined);
  return cost && ` It asks for ${cost}.`;
}

function readDocument(sent: unknown, request: Exchange["request"], body?: unknown): ReadOffer {
  const document = withOtherOffers(sent, body);
  const version = (document as { x402Version?: unknown } | null)?.x402Version;
  if (version !== X402_VERSION) {
    const cost = costText((document as { accepts?: unknown } | null)?.accepts);
    if (isEarlierVersion(document)) {
      const facts = judgeEarlierVersion(document);
      const wrong = facts.find(({ holds }) => holds === false);
      const problem = wrong ? ` Its ${wrong.name} ${wrong.note}.` : "";
      return unreadable("offer-version-1", { cost, problem }, facts);
    }
    const named = version === undefined ? "missing" : textOf(version) || "unreadable";
    return unreadable("offer-wrong-version", { version: named, cost });
  }
  const parsed = X402PaymentRequired.safeParse(document);
  if (!parsed.success) {
    const facts = parsed.error.issues.map(({ path, message }) =>
      fact(path.join("."), "", false, message),
    );
    const first = facts[0] ? `${facts[0].name}: ${facts[0].note}` : "";
    return unreadable("offer-malformed", { first }, facts);
  }
  const requirement = parsed.data;
  const facts = compare(requirement, document, request);
  const ofPlans = requirement.accepts.filter(
    (offer) =>
      readScheme(offer.scheme) !== null &&
      planIdOf(offer) !== undefined &&
      hasReadableAmount(offer),
  );
  // With every member: the seller compares the payment with its own offer.
  const whole = (document as { accepts: PaymentOffer[] }).accepts;
  const payable = [...ofPlans, ...whole.filter(isTransferOffer)];
  if (payable.length > 0) return judge({ facts, requirement, payable });
  const schemes = [...new Set(requirement.accepts.map(({ scheme }) => `“${scheme}”`))].join(", ");
  const values = { schemes, cost: costText(requirement.accepts) };
  return { facts, requirement, payable, outcome: "offer-foreign", values };
}

/** An offer need not say an amount; one that does says a number of credits. */
const hasReadableAmount = ({ amount }: PaymentOffer): boolean =>
  amount === undefined || /^\d{1,78}$/.test(amount);

/** Whether an offer that can be paid has problems. */
function judge(offer: Omit<ReadOffer, keyof Judgement>): ReadOffer {
  const count = plural(offer.payable.length, "offer");
  const problems = offer.facts.filter(({ holds }) => holds === false);
  const [first] = problems;
  if (!first) return { ...offer, outcome: "offer-valid", values: { count, plans: "" } };
  const flags = plural(problems.length, "problem");
  const values = { count, flags, first: `${first.name} ${first.note}` };
  return { ...offer, outcome: "offer-flagged", values };
}

/** Compares the offer with what it should say for this request. */
function compare(
  { resource, accepts }: X402PaymentRequired,
  document: unknown,
  request: Exchange["request"],
): Fact[] {
  const url = resource?.url;
  const isSame = url !== undefined && hasSamePath(url, request.url);
  const note = isSame
    ? "matches the URL of the request"
    : url === undefined
      ? "is missing"
      : "does not match the URL of the request";
  const whole = (document as { accepts: unknown[] }).accepts;
  const misplaced = (document as { resource?: { httpVerb?: unknown } }).resource?.httpVerb;
  return [
    fact("x402Version", "2", true, "is 2"),
    fact("resource.url", url ?? "missing", isSame, note),
    ...(misplaced === undefined
      ? []
      : [fact("resource.httpVerb", textOf(misplaced), false, "belongs in extra")]),
    ...numbered(accepts, (offer, index) => compareOffer(offer, whole[index], request.method)),
  ];
}

function compareOffer(offer: PaymentOffer, whole: unknown, method: string): Fact[] {
  const { scheme: name, network } = offer;
  const scheme = readScheme(name);
  if (!scheme) return judgeDirectOffer(whole);
  const fits =
    scheme === "svc:card-delegation"
      ? ["card-processor", "stripe", undefined].includes(network)
      : (network ?? networkOf(scheme)).startsWith("eip155:");
  const fitNote = fits ? "fits the scheme" : `does not fit ${name}`;
  const planId = planIdOf(offer);
  const facts = [
    fact("scheme", name, true, "supported"),
    fact("network", network ?? "missing", fits, fitNote),
    planId === undefined
      ? fact("planId", "missing", false, "is missing")
      : fact("planId", planId, null, ""),
  ];
  if (!hasReadableAmount(offer)) {
    facts.push(fact("amount", String(offer.amount), false, "is not a whole number"));
  }
  const verb = offer.extra?.httpVerb;
  if (verb !== undefined) {
    const holds = verb.toUpperCase() === method;
    facts.push(
      fact("extra.httpVerb", verb, holds, holds ? "matches the method" : `is not ${method}`),
    );
  }
  return facts;
}

/** A gate behind a proxy may not know its public host name, so only the path must match. */
const hasSamePath = (a: string, b: string): boolean =>
  canParseUrl(a) && canParseUrl(b) && new URL(a).pathname === new URL(b).pathname;
