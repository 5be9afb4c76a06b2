import { useRouter } from "next/navigation";
import { useState } from "react";
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
import { SavedViews } from "./saved-views.tsx";

// Fetched when a filter is chosen: it carries the validation.
const FilterDialog = createLater(() => import("./filter-dialog.tsx").then((it) => it.FilterDialog));

/** The filters of the list. Each choice is an address, so that it can be shared and Back undoes it. */
export function ActivityFilters({ filter, names }: { filter: ActivityFilter; names: Names }) {
  const router = useRouter();
  const [field, setField] = useState<FilterField>();
  const AskForValue = FilterDialog.usePart(field !== undefined, () => setField(undefined));
  const without = (change: Partial<Record<keyof ActivityFilter, unknown>>) =>
    activityHref(filter, change);
  return (
    <>
      <FilterChips
        chips={chipsOf(filter, names, without)}
        addable={FILTER_FIELDS.filter(
          ({ field: one }) =>
            (one !== "payer" || filter.role === "builder") &&
            (one !== "agentId" || Object.keys(names.agents).length > 0) &&
            (one !== "planId" || Object.keys(names.plans).length > 0),
        ).map(({ field: one, label }) => ({ label, onSelect: () => setField(one) }))}
        {...(isFiltered(filter) && { clear: activityHref(clearedFilter(filter)) })}
      />
      <SavedViews query={activityQuery(filter)} canSave={isFiltered(filter)} />
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
    </>
  );
}

function chipsOf(
  filter: ActivityFilter,
  names: Names,
  without: (change: Partial<Record<keyof ActivityFilter, unknown>>) => string,
) {
  const { since, until, money, httpStatus, planId, agentId, payer, tokenId, cause, search } =
    filter;
  const none = undefined;
  const chips = [
    since !== none && {
      key: "time",
      field: "Time",
      value: timeText(since, until),
      remove: without({ since: none, until: none }),
    },
    money.length > 0 && {
      key: "money",
      field: "Payment is",
      value: money.map((status) => MONEY_STATUSES[status].word).join(" or "),
      remove: without({ money: [] }),
    },
    httpStatus !== none && {
      key: "http",
      field: "HTTP is",
      value: httpStatus,
      remove: without({ httpStatus: none }),
    },
    planId !== none && {
      key: "plan",
      field: "Plan is",
      value: nameOf(names.plans, planId),
      remove: without({ planId: none }),
    },
    agentId !== none && {
      key: "agent",
      field: "Agent is",
      value: nameOf(names.agents, agentId),
      remove: without({ agentId: none }),
    },
    payer !== none && {
      key: "payer",
      field: "Customer is",
      value: <span className="font-mono text-small">{shortenIdentifier(payer)}</span>,
      remove: without({ payer: none }),
    },
    tokenId !== none && {
      key: "token",
      field: "Access token is",
      value: <span className="font-mono text-small">{shortenIdentifier(tokenId)}</span>,
      remove: without({ tokenId: none }),
    },
    cause !== none && {
      key: "cause",
      field: "Cause is",
      value: titleOfCause(cause),
      remove: without({ cause: none }),
    },
    search !== none && {
      key: "search",
      field: "ID contains",
      value: <span className="font-mono text-small">{search}</span>,
      remove: without({ search: none }),
    },
  ];
  return chips.filter((chip) => chip !== false);
}

/** `21 Nov 13:00 to 14:00 UTC`, with the second day where it differs. */
function timeText(since: string, until: string | undefined): string {
  const text = (at: Date) => `${dateText(at).replace(/ \d{4}$/, "")} ${minutes(at)}`;
  const start = new Date(since);
  if (until === undefined) return `from ${text(start)} UTC`;
  const end = new Date(until);
  const isOneDay = dateText(start) === dateText(end);
  return `${text(start)} to ${isOneDay ? minutes(end) : text(end)} UTC`;
}
