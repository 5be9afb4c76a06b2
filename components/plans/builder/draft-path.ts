import type { DraftPath } from "./draft-faults.ts";

/** The field of the draft behind a path of the payload, as named in the service's errors. */
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
