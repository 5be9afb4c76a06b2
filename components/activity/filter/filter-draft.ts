import { isAddress, MoneyStatus } from "@turnpike/payments/protocol";
import type { ActivityFilter } from "./activity-filter.ts";
import type { FilterField } from "./filter-fields.ts";

/** A filter's value while it is edited: statuses, or the text of any other field. */
export type FilterDraft = { money: MoneyStatus[]; text: string };

export const startFilterDraft = (field: FilterField, filter: ActivityFilter): FilterDraft => ({
  money: filter.money,
  text: field === "money" ? "" : (filter[field] ?? ""),
});

type ReadDraft = { change: Partial<ActivityFilter> } | { error: string };

/** What a draft changes in the filter; an empty one clears its field. */
export function readFilterDraft(field: FilterField, { money, text }: FilterDraft): ReadDraft {
  if (field === "money") {
    return { change: { money: MoneyStatus.options.filter((status) => money.includes(status)) } };
  }
  const value = text.trim();
  if (field === "payer" && value && !isAddress(value)) {
    return { error: "That is not an EVM address. It has 42 characters and starts with 0x." };
  }
  return { change: { [field]: value || undefined } };
}
