import { ButtonLink } from "../ui/button-link.tsx";
import { Empty } from "../ui/empty.tsx";
import { TextLink } from "../ui/text-link.tsx";
import {
  type ActivityFilter,
  activityHref,
  clearedFilter,
  isFiltered,
} from "./filter/activity-filter.ts";
import { RANGE_WORDS } from "./series-points.ts";

/** Shown in place of the rows: why there are none, and what to do. */
export function NoRequests({ filter }: { filter: ActivityFilter }) {
  const { role, range } = filter;
  if (isFiltered(filter)) {
    return (
      <Empty
        kind="filtered"
        title="No requests match these filters"
        actions={<ButtonLink href={activityHref(clearedFilter(filter))}>Clear filters</ButtonLink>}
      >
        Your filters hide every request from the last {RANGE_WORDS[range]}.
      </Empty>
    );
  }
  const isBuilder = role === "builder";
  return (
    <Empty
      kind="first"
      title={`${isBuilder ? "No requests to your agents" : "No requests from you"} in the last ${RANGE_WORDS[range]}`}
      actions={
        <>
          <ButtonLink href={isBuilder ? "/agents/new" : "/explore"} look="primary">
            {isBuilder ? "Register an agent" : "Explore plans"}
          </ButtonLink>
          {range !== "30d" && (
            <ButtonLink href={activityHref(filter, { range: "30d" })}>Show 30 days</ButtonLink>
          )}
        </>
      }
    >
      {isBuilder ? (
        "Every request that reaches your gate appears here, paid or not, with its payment status."
      ) : (
        <>
          Every request you pay for appears here with its receipt.{" "}
          <TextLink href="/playground">Try one in the playground</TextLink>.
        </>
      )}
    </Empty>
  );
}
