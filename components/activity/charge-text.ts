import type { RequestRecord } from "@turnpike/payments/protocol";
import { plural } from "@/lib/text/plural.ts";
import { moneyText } from "../ui/values/money-text.ts";

/** What a request costs: money where a wallet signed for it, else credits. */
export const chargeText = ({ paid, credits }: RequestRecord): string =>
  paid?.decimals !== undefined
    ? moneyText(paid.amount, paid.decimals, paid.currency)
    : plural(BigInt(credits), "credit");

/** Whether a wallet paid it by one signed transfer, and not by an access token. */
export const isTransfer = ({ paid, tokenId }: RequestRecord): boolean =>
  paid !== undefined || tokenId?.startsWith("exact_") === true;
