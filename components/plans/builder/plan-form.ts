import type { Resolver, ResolverResult } from "react-hook-form";
import { fieldErrors } from "../../forms/create-resolver.ts";
import type { Market } from "../market.ts";
import { type DraftPath, STEPS, type Step } from "./draft-faults.ts";
import { draftPathOf } from "./draft-path.ts";
import { loadServiceRules } from "./load-service-rules.ts";
import { type PlanToCreate, payloadOfDraft } from "./payload-of-draft.ts";
import { creditsKindOf, type PlanDraft, railOf } from "./plan-draft.ts";

/** Validates with the function that builds the payload, so that no field has a second rule. */
export const draftResolver =
  (market: Market): Resolver<PlanDraft, unknown, PlanToCreate> =>
  async (draft): Promise<ResolverResult<PlanDraft, PlanToCreate>> => {
    const reading = payloadOfDraft(draft, market, await loadServiceRules());
    if (!reading.isPayload) return { values: {}, errors: fieldErrors<PlanDraft>(reading.faults) };
    return { values: reading, errors: {} };
  };

/** The field of these steps that an error's path belongs to; none where no field shows it. */
export const shownField = (
  path: string,
  { steps = STEPS, draft }: { steps?: readonly Step[]; draft: PlanDraft },
): DraftPath | undefined =>
  steps.flatMap((step) => pathsOf(step, draft)).find((field) => field === draftPathOf(path));

/** The fields of a step, which must be right before the next step opens. */
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
  if (step === "review") {
    const texts = ["name", "description", "tags", "author", "license", "sampleLink"] as const;
    return [...texts, "refundUnusedDays", "refundFailedCalls"];
  }
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
