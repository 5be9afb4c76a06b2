import { type FieldErrors, type Resolver, set } from "react-hook-form";
import type { Market } from "../market.ts";
import type { DraftFault, DraftPath, Step } from "./draft-faults.ts";
import { loadServiceRules } from "./load-service-rules.ts";
import { payloadOfDraft } from "./payload-of-draft.ts";
import { creditsKindOf, type PlanDraft, railOf } from "./plan-draft.ts";

/** Checks a form by the one function that makes the payload, so that no field has a rule of its own. */
export const draftResolver =
  (market: Market): Resolver<PlanDraft> =>
  async (draft) => {
    const reading = payloadOfDraft(draft, market, await loadServiceRules());
    if (reading.isPayload) return { values: draft, errors: {} };
    return { values: {}, errors: errorsOf(reading.faults) };
  };

function errorsOf(faults: DraftFault[]): FieldErrors<PlanDraft> {
  const errors = {};
  // The first fault of a field is the one to mend first.
  for (const { path, message } of faults.toReversed())
    set(errors, path, { type: "draft", message });
  return errors;
}

/** The fields a step shows, which have to be right before the next one. */
export function pathsOf(step: Step, draft: PlanDraft): DraftPath[] {
  if (step === "price") return pricePaths(draft);
  if (step === "credits") {
    const counted = {
      fixed: ["granted", "perCall"],
      dynamic: ["granted", "least", "most"],
      time: ["durationSecs"],
    } as const;
    return [...counted[creditsKindOf(draft)], "redeemers", "nftAddress"];
  }
  if (step === "review") return ["name", "description", "tags", "author", "license", "sampleLink"];
  return [];
}

function pricePaths(draft: PlanDraft): DraftPath[] {
  const rail = railOf(draft);
  if (rail === "free") return [];
  const unit = {
    card: ["cardCurrency"],
    stablecoin: ["stablecoin"],
    token: ["tokenAddress", "tokenDecimals"],
    native: [],
  } as const;
  const receivers = rail === "card" ? draft.receivers.slice(0, 1) : draft.receivers;
  const paths = receivers.flatMap((_, index): DraftPath[] => [
    `receivers.${index}.amount`,
    `receivers.${index}.address`,
  ]);
  return [...unit[rail], ...paths];
}

/** A number nobody else draws, for one creation. */
export function newNonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return bytes.reduce((number, byte) => number * 256n + BigInt(byte), 0n).toString();
}
