import Link from "next/link";
import { ButtonLink } from "../ui/button-link.tsx";
import { Empty } from "../ui/empty.tsx";
import { type ActivityFilter, activityHref, clearedFilter, isFiltered } from "./activity-filter.ts";
import { RANGE_WORDS } from "./series-points.ts";

/** Stands where the rows would: why there is none, and what to do. */
export function NoRequests({ filter }: { filter: ActivityFilter }) {
  const { role, range } = filter;
  if (isFiltered(filter)) {
    return (
      <Empty
        kind="filtered"
        title="No request passes these filters"
        actions={<ButtonLink href={activityHref(clearedFilter(filter))}>Clear filters</ButtonLink>}
      >
        They hide every request of the last {RANGE_WORDS[range]}.
      </Empty>
    );
  }
  const isBuilder = role === "builder";
  return (
    <Empty
      kind="first"
      title={`${isBuilder ? "Nothing was asked of your agents" : "You made no calls"} in ${RANGE_WORDS[range]}`}
      actions={
        <>
          <ButtonLink href={isBuilder ? "/agents/new" : "/explore"} look="primary">
            {isBuilder ? "Register an agent" : "Pick a plan"}
          </ButtonLink>
          {range !== "30d" && (
            <ButtonLink href={activityHref(filter, { range: "30d" })}>Look at 30 days</ButtonLink>
          )}
        </>
      }
    >
      {isBuilder ? (
        "Every call that meets your gate stands here, paid or not, with what its money did."
      ) : (
        <>
          Every paid call you make stands here with its receipt.{" "}
          <Link href="/playground" className="link">
            Show me one
          </Link>
          .
        </>
      )}
    </Empty>
  );
}
