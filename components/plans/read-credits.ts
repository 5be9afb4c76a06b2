import {
  getDynamicCreditsConfig,
  getExpirableDurationConfig,
  getFixedCreditsConfig,
  getNonExpirableDurationConfig,
  MAX_UINT256,
  ONE_YEAR_DURATION,
  type PlanCreditsConfig,
  PlanRedemptionType,
  setHolderRequired,
  setProofRequired,
  setRedemptionType,
} from "@turnpike/payments/protocol";
import { plural } from "@/lib/text/plural.ts";
import { readAddress } from "../ui/fields/address-check.ts";
import { groupDigits } from "../ui/values/money-text.ts";
import type { DraftFault, DraftPath } from "./builder/draft-faults.ts";
import { creditsKindOf, type PlanDraft } from "./builder/plan-draft.ts";

const MAX_REDEEMERS = 50;
const MAX_DURATION_SECS = 1000n * ONE_YEAR_DURATION;

/** The draft's credits, made by the protocol's own builders, or the faults of its fields. */
export function readCredits(
  draft: PlanDraft,
): { credits: PlanCreditsConfig; redeemers: string[] } | { faults: DraftFault[] } {
  const counted = readCount(draft);
  const redeemers = readRedeemers(draft);
  const nft = draft.nftAddress.trim() === "" ? null : readAddress(draft.nftAddress);
  const faults = [...counted.faults, ...redeemers.faults];
  if (nft && !nft.isAddress) faults.push({ path: "nftAddress", message: nft.fault });
  if (faults.length > 0 || !counted.credits) return { faults };
  const redeemed = setRedemptionType(counted.credits, draft.redemptionType);
  const proved = setProofRequired(redeemed, draft.proofRequired);
  const credits = setHolderRequired(proved, draft.holderRequired);
  return {
    credits: nft?.isAddress ? { ...credits, nftAddress: nft.address } : credits,
    redeemers: redeemers.addresses,
  };
}

type Counted = { credits?: PlanCreditsConfig; faults: DraftFault[] };

function readCount(draft: PlanDraft): Counted {
  const kind = creditsKindOf(draft);
  if (kind === "time") return readTime(draft);
  const faults: DraftFault[] = [];
  const read = (path: DraftPath & ("granted" | "perCall" | "least" | "most")) => {
    const reading = readWhole(draft[path]);
    if (typeof reading === "bigint") return reading;
    faults.push({ path, message: reading });
    return 0n;
  };
  const granted = read("granted");
  if (kind === "fixed") {
    const perCall = read("perCall");
    if (faults.length === 0 && perCall > granted) {
      faults.push({ path: "perCall", message: tooMuch(perCall, granted) });
    }
    return faults.length > 0
      ? { faults }
      : { credits: getFixedCreditsConfig(granted, perCall), faults };
  }
  const least = read("least");
  const most = read("most");
  if (faults.length === 0 && least > most) {
    faults.push({ path: "least", message: "The minimum per call is higher than the maximum." });
  } else if (faults.length === 0 && most > granted) {
    faults.push({ path: "most", message: tooMuch(most, granted) });
  }
  return faults.length > 0
    ? { faults }
    : { credits: getDynamicCreditsConfig(granted, least, most), faults };
}

const tooMuch = (credits: bigint, granted: bigint) =>
  `A call can use ${plural(BigInt(credits), "credit")}, more than the ${groupDigits(granted)} granted.`;

function readTime({ durationSecs }: PlanDraft): Counted {
  if (durationSecs === null) {
    return { faults: [{ path: "durationSecs", message: "Enter a whole number, 1 or more." }] };
  }
  if (BigInt(durationSecs) > MAX_DURATION_SECS) {
    return { faults: [{ path: "durationSecs", message: "Enter at most 1,000 years." }] };
  }
  const credits =
    durationSecs === 0
      ? getNonExpirableDurationConfig()
      : getExpirableDurationConfig(BigInt(durationSecs));
  return { credits, faults: [] };
}

/** A whole number of at least one, or what is wrong with the text. */
function readWhole(text: string): bigint | string {
  const typed = text.trim();
  if (typed === "") return "Enter a number of credits.";
  if (!/^\d{1,78}$/.test(typed)) return "Enter a whole number, without commas or periods.";
  const value = BigInt(typed);
  if (value === 0n) return "Enter at least 1.";
  return value <= MAX_UINT256 ? value : "Enter a smaller number.";
}

function readRedeemers(draft: PlanDraft): { addresses: string[]; faults: DraftFault[] } {
  if (draft.redemptionType !== PlanRedemptionType.ONLY_PLAN_ROLE)
    return { addresses: [], faults: [] };
  return readRedeemerLines(draft.redeemers);
}

export function readRedeemerLines(text: string): { addresses: string[]; faults: DraftFault[] } {
  const lines = text.split(/[\s,]+/).filter(Boolean);
  const fault = (message: string) => ({ addresses: [], faults: [{ path: "redeemers", message }] });
  const addresses = new Set<string>();
  for (const line of lines) {
    const reading = readAddress(line);
    if (!reading.isAddress)
      return fault(`${line}: ${reading.fault}`) as ReturnType<typeof readRedeemerLines>;
    addresses.add(reading.address);
  }
  if (addresses.size > MAX_REDEEMERS) {
    return fault(`Name at most ${MAX_REDEEMERS} accounts.`) as ReturnType<typeof readRedeemerLines>;
  }
  return { addresses: [...addresses], faults: [] };
}
