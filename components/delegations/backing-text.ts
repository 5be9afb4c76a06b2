import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";

/** Whose money a delegation on chain spends, in a few characters. */
export const backingText = (account: string): string => `Account ${shortenIdentifier(account)}`;
