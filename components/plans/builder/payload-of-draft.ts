import {
  type InputOf,
  type PlanCreditsConfig,
  type PlanMetadata,
  type PlanPriceConfig,
  toJson,
  ZERO_ADDRESS,
} from "@turnpike/payments/protocol";
import { readTags } from "@/lib/text/read-tags.ts";
import type { Market } from "../market.ts";
import type { PlanTerms } from "../plan-terms.ts";
import { readCredits } from "../read-credits.ts";
import { readPrice } from "../read-price.ts";
import { type DraftFault, stepOf } from "./draft-faults.ts";
import { nonceOfTerms } from "./nonce-of-terms.ts";
import { creditsKindOf, type PlanDraft } from "./plan-draft.ts";

/** The request that creates a plan: JSON, with amounts as decimal strings. */
export type PlanPayload = InputOf<"registerCreditsPlan"> | InputOf<"registerTimePlan">;

/** A plan about to be created: the request, and its terms as people read them. */
export type PlanToCreate = { payload: PlanPayload; terms: PlanTerms };

export type PayloadReading =
  | ({ isPayload: true } & PlanToCreate)
  | { isPayload: false; faults: DraftFault[] };

/** The service's own rules. They need the protocol's schemas, so they load after the page. */
export type ServiceRules = {
  metadata: (metadata: PlanMetadata) => DraftFault[];
  payload: (payload: PlanPayload) => DraftFault[];
};

/**
 * Turns the builder's fields into what is sent. Review, preview, JSON, code and the call itself all use
 * this result. Without `rules` it reports only faults that leave no payload to build.
 */
export function payloadOfDraft(
  draft: PlanDraft,
  market: Market,
  rules?: ServiceRules,
): PayloadReading {
  const price = readPrice(draft, market);
  const credits = readCredits(draft);
  const faults = [
    ...("faults" in price ? price.faults : []),
    ...("faults" in credits ? credits.faults : []),
  ];
  const metadata = metadataOf(draft);
  if (!("price" in price) || !("credits" in credits)) {
    return { isPayload: false, faults: [...faults, ...(rules?.metadata(metadata) ?? [])] };
  }
  const accessLimit = creditsKindOf(draft) === "time" ? ("time" as const) : ("credits" as const);
  const sent = {
    metadataAttributes: metadata,
    ...wireTerms(price.price, credits.credits),
    accessLimit,
    isTrialPlan: draft.kind === "trial",
    state: draft.state,
    ...(credits.redeemers.length > 0 && { redeemers: credits.redeemers }),
  };
  const payload = {
    ...sent,
    ...(draft.nonce !== "" && { nonce: nonceOfTerms(draft.nonce, sent) }),
  } as PlanPayload;
  const refused = rules?.payload(payload) ?? [];
  if (refused.length > 0) return { isPayload: false, faults: refused };
  const terms = {
    price: price.price,
    credits: credits.credits,
    accessLimit,
    isTrial: draft.kind === "trial",
  };
  return { isPayload: true, payload, terms };
}

/** The draft without the texts that are wrong, and with a name filled in; null while its price or credits are wrong. */
export function payloadSoFar(
  draft: PlanDraft,
  market: Market,
  rules?: ServiceRules,
): PlanToCreate | null {
  const named = { ...draft, name: draft.name.trim() || "Your plan" };
  const whole = payloadOfDraft(named, market, rules);
  if (whole.isPayload) return whole;
  if (whole.faults.some(({ path }) => stepOf(path) !== "review")) return null;
  const empty = Object.fromEntries(
    whole.faults.map(({ path }) => [path, path === "name" ? "Your plan" : ""]),
  );
  const partial = payloadOfDraft({ ...named, ...empty }, market, rules);
  return partial.isPayload ? partial : null;
}

function metadataOf(draft: PlanDraft): PlanMetadata {
  const texts = {
    description: draft.description.trim(),
    author: draft.author.trim(),
    license: draft.license.trim(),
    sampleLink: draft.sampleLink.trim(),
  };
  const tags = readTags(draft.tags);
  const days = draft.refundUnusedDays.trim();
  return {
    name: draft.name.trim(),
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== "")),
    ...(tags.length > 0 && { tags }),
    ...(days !== "" && { refundUnusedDays: Number(days) }),
    ...(draft.refundFailedCalls && { refundFailedCalls: true }),
  };
}

/**
 * Price and credits as they are sent. Leaves zero addresses out: the service fills them in, and the JSON shown stays
 * readable.
 */
export function wireTerms(
  price: PlanPriceConfig,
  credits: PlanCreditsConfig,
): Pick<PlanPayload, "priceConfig" | "creditsConfig"> {
  const used = Object.entries(price).filter(([, value]) => value !== ZERO_ADDRESS);
  return {
    priceConfig: JSON.parse(toJson(Object.fromEntries(used))),
    creditsConfig: JSON.parse(toJson(credits)),
  };
}
