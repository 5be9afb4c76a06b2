import {
  type InputOf,
  operations,
  type PlanCreditsConfig,
  type PlanMetadata,
  type PlanPriceConfig,
  toJson,
  ZERO_ADDRESS,
} from "@turnpike/payments/protocol";
import type { DraftFault, DraftPath } from "./draft-faults.ts";
import type { Market } from "./market.ts";
import { creditsKindOf, type PlanDraft } from "./plan-draft.ts";
import { readCredits } from "./read-credits.ts";
import { readPrice } from "./read-price.ts";

/** What creating a plan sends: JSON, amounts as decimal strings. */
export type PlanPayload = InputOf<"registerCreditsPlan"> | InputOf<"registerTimePlan">;

export type PayloadReading =
  | { isPayload: true; payload: PlanPayload }
  | { isPayload: false; faults: DraftFault[] };

/**
 * The one way from the builder's fields to what is sent. Review, preview, JSON, code and the call
 * itself all read its answer and nothing else.
 */
export function payloadOfDraft(draft: PlanDraft, market: Market): PayloadReading {
  const price = readPrice(draft, market);
  const credits = readCredits(draft);
  const faults = [
    ...("faults" in price ? price.faults : []),
    ...("faults" in credits ? credits.faults : []),
  ];
  const metadata = metadataOf(draft);
  if (!("price" in price) || !("credits" in credits)) {
    return { isPayload: false, faults: [...faults, ...metadataFaults(metadata)] };
  }
  const accessLimit = creditsKindOf(draft) === "time" ? ("time" as const) : ("credits" as const);
  const payload = {
    metadataAttributes: metadata,
    priceConfig: wirePrice(price.price),
    creditsConfig: wireCredits(credits.credits),
    accessLimit,
    isTrialPlan: draft.kind === "trial",
    state: draft.state,
    ...(credits.redeemers.length > 0 && { redeemers: credits.redeemers }),
    ...(draft.nonce !== "" && { nonce: draft.nonce }),
  } as PlanPayload;
  const checked = inputOf(payload).safeParse(payload);
  if (checked.success) return { isPayload: true, payload };
  return {
    isPayload: false,
    faults: checked.error.issues.map(({ path, message }) => ({
      path: draftPathOf(path.map(String).join(".")),
      message,
    })),
  };
}

const inputOf = ({ accessLimit }: Pick<PlanPayload, "accessLimit">) =>
  accessLimit === "time" ? operations.registerTimePlan.input : operations.registerCreditsPlan.input;

/** The draft as far as it can be read: what is wrong in it stands at its default, and it has a name. */
export function payloadSoFar(
  draft: PlanDraft,
  market: Market,
  usual: PlanDraft,
): PlanPayload | null {
  const named = { ...draft, name: draft.name.trim() || "Your plan" };
  const whole = payloadOfDraft(named, market);
  if (whole.isPayload) return whole.payload;
  const wrong = new Set(whole.faults.map(({ path }) => path.split(".")[0]));
  const mended = Object.fromEntries(
    Object.entries(named).map(([key, value]) => [
      key,
      wrong.has(key) ? usual[key as keyof PlanDraft] : value,
    ]),
  ) as PlanDraft;
  const partial = payloadOfDraft({ ...mended, name: mended.name || "Your plan" }, market);
  return partial.isPayload ? partial.payload : null;
}

/** The field of the draft behind a path of the payload, as the service names it in its refusals. */
export function draftPathOf(path: string): DraftPath {
  const [top = "", member = "", index = "0"] = path.split(".");
  if (top === "metadataAttributes") return member as DraftPath;
  if (top === "redeemers") return "redeemers";
  if (top === "creditsConfig") return CREDITS_PATHS[member] ?? "granted";
  if (top === "priceConfig") {
    if (member === "amounts") return `receivers.${Number(index) || 0}.amount`;
    if (member === "receivers") return `receivers.${Number(index) || 0}.address`;
    if (member === "tokenAddress") return "tokenAddress";
    return member === "currency" ? "cardCurrency" : "rail";
  }
  return "name";
}

const CREDITS_PATHS: Record<string, DraftPath> = {
  amount: "granted",
  minAmount: "least",
  maxAmount: "most",
  durationSecs: "durationSecs",
  nftAddress: "nftAddress",
};

function metadataOf(draft: PlanDraft): PlanMetadata {
  const texts = {
    description: draft.description.trim(),
    author: draft.author.trim(),
    license: draft.license.trim(),
    sampleLink: draft.sampleLink.trim(),
  };
  const tags = readTags(draft.tags);
  return {
    name: draft.name.trim(),
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== "")),
    ...(tags.length > 0 && { tags }),
  };
}

/** Tags as they are typed, between commas; each once. */
export const readTags = (text: string): string[] => [
  ...new Set(
    text
      .split(",")
      .map((tag) => tag.trim())
      .filter(Boolean),
  ),
];

const metadataFaults = (metadata: PlanMetadata): DraftFault[] => {
  const checked = operations.registerCreditsPlan.input.shape.metadataAttributes.safeParse(metadata);
  if (checked.success) return [];
  return checked.error.issues.map(({ path, message }) => ({
    path: String(path[0]) as DraftPath,
    message,
  }));
};

/** Addresses that are not used are left out: the service fills them in, and nobody has to read zeros. */
function wirePrice(price: PlanPriceConfig): unknown {
  const used = Object.entries(price).filter(([, value]) => value !== ZERO_ADDRESS);
  return JSON.parse(toJson(Object.fromEntries(used)));
}

const wireCredits = (credits: PlanCreditsConfig): unknown => JSON.parse(toJson(credits));
