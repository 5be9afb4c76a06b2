import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";
import { titleOfCause } from "@/lib/console/attempt-causes.ts";
import { FilterChips } from "../../ui/fields/filter-chips.tsx";
import { createLater } from "../../ui/later.ts";
import { MONEY_STATUSES } from "../../ui/values/money-status.tsx";
import { shortenIdentifier } from "../../ui/values/shorten-identifier.ts";
import { dateText } from "../../ui/values/time-text.ts";
import { type Names, nameOf } from "../names.ts";
import { minutes } from "../series-points.ts";
import {
  type ActivityFilter,
  activityHref,
  activityQuery,
  clearedFilter,
  isFiltered,
} from "./activity-filter.ts";
import { FILTER_FIELDS, type FilterField } from "./filter-fields.ts";

// Fetched when a filter is chosen: it carries the validation.
const FilterDialog = createLater(() => import("./filter-dialog.tsx"), "FilterDialog");

// Fetched after the page: a first visit has no views, and no filter that could be saved.
const SavedViews = createLater(() => import("./saved-views.tsx"), "SavedViews");

/** The filters of the list. Each choice is an address, so that it can be shared and Back undoes it. */
export function ActivityFilters({ filter, names }: { filter: ActivityFilter; names: Names }) {
  const router = useRouter();
  const [field, setField] = useState<FilterField>();
  const AskForValue = FilterDialog.usePart(field !== undefined, () => setField(undefined));
  return (
    <div className="flex flex-wrap items-center gap-2">
      <FilterChips
        className="grow"
        chips={chipsOf(filter, names)}
        addable={FILTER_FIELDS.filter(
          ({ field: one }) =>
            (one !== "payer" || filter.role === "builder") &&
            (one !== "agentId" || Object.keys(names.agents).length > 0) &&
            (one !== "planId" || Object.keys(names.plans).length > 0),
        ).map(({ field: one, label }) => ({ label, onSelect: () => setField(one) }))}
        {...(isFiltered(filter) && { clear: activityHref(clearedFilter(filter)) })}
      />
      <SavedViews.Part query={activityQuery(filter)} canSave={isFiltered(filter)} />
      {AskForValue && field && (
        <AskForValue
          key={field}
          field={field}
          filter={filter}
          names={names}
          onClose={() => setField(undefined)}
          onApply={(change) => {
            setField(undefined);
            router.push(activityHref(filter, change), { scroll: false });
          }}
        />
      )}
    </div>
  );
}

type Change = Partial<Record<keyof ActivityFilter, unknown>>;

function chipsOf(filter: ActivityFilter, names: Names) {
  const { since, until, money, httpStatus, planId, agentId, payer, tokenId, cause, search } =
    filter;
  const none = undefined;
  const chip = (key: string, field: string, value: ReactNode, change: Change) => ({
    key,
    field,
    value,
    remove: activityHref(filter, change),
  });
  const moneyWords = money.map((status) => MONEY_STATUSES[status].word).join(" or ");
  const chips = [
    since !== none && chip("time", "Time", timeText(since, until), { since: none, until: none }),
    money.length > 0 && chip("money", "Payment is", moneyWords, { money: [] }),
    httpStatus !== none && chip("http", "HTTP is", httpStatus, { httpStatus: none }),
    planId !== none && chip("plan", "Plan is", nameOf(names.plans, planId), { planId: none }),
    agentId !== none && chip("agent", "Agent is", nameOf(names.agents, agentId), { agentId: none }),
    payer !== none &&
      chip("payer", "Customer is", <Mono text={shortenIdentifier(payer)} />, { payer: none }),
    tokenId !== none &&
      chip("token", "Access token is", <Mono text={shortenIdentifier(tokenId)} />, {
        tokenId: none,
      }),
    cause !== none && chip("cause", "Cause is", titleOfCause(cause), { cause: none }),
    search !== none && chip("search", "ID contains", <Mono text={search} />, { search: none }),
  ];
  return chips.filter((chip) => chip !== false);
}

const Mono = ({ text }: { text: string }) => <span className="font-mono text-small">{text}</span>;

/** `21 Nov 13:00 to 14:00 UTC`, with the second day where it differs. */
function timeText(since: string, until: string | undefined): string {
  const text = (at: Date) => `${dateText(at).replace(/ \d{4}$/, "")} ${minutes(at)}`;
  const start = new Date(since);
  if (until === undefined) return `from ${text(start)} UTC`;
  const end = new Date(until);
  const isOneDay = dateText(start) === dateText(end);
  return `${text(start)} to ${isOneDay ? minutes(end) : text(end)} UTC`;
}
