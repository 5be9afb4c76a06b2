import type { WithdrawalAddresses } from "@/lib/console/money.ts";

type Choice = {
  items: WithdrawalAddresses["items"];
  chosen: string | undefined;
  /** Whether a withdrawal may have begun: only the same one can be sent again, also to an address that has left the list. */
  isUnknown: boolean;
};

/** Where a withdrawal goes: the chosen address while it is on the list and usable. */
export function withdrawalTarget({ items, chosen, isUnknown }: Choice): string | undefined {
  if (isUnknown) return chosen;
  return items.find(({ address, isUsable }) => address === chosen && isUsable)?.address;
}
