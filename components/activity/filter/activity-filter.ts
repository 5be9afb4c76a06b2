import type { InputOf, MoneyStatus, Role } from "@turnpike/payments/protocol";
import type { FigureRange } from "@/lib/console/figures.ts";

/** The filter of the list of requests; all of it is kept in the URL. */
export type ActivityFilter = {
  role: Role;
  range: FigureRange;
  /** A part of the range, picked in the chart. */
  since?: string;
  until?: string;
  planId?: string;
  agentId?: string;
  money: MoneyStatus[];
  httpStatus?: string;
  payer?: string;
  tokenId?: string;
  cause?: string;
  search?: string;
  /** As a builder, also the calls of test customers. */
  tests?: "1";
};

/** The names the filter's members have in the URL. */
export const NAMES = {
  role: "role",
  range: "range",
  since: "since",
  until: "until",
  planId: "plan",
  agentId: "agent",
  money: "money",
  httpStatus: "http",
  payer: "payer",
  tokenId: "token",
  cause: "cause",
  search: "q",
  tests: "tests",
} as const satisfies Record<keyof ActivityFilter, string>;

/** The filter as a query string, without the question mark. */
export function activityQuery(filter: ActivityFilter): string {
  const query = new URLSearchParams();
  for (const [member, name] of Object.entries(NAMES)) {
    const value = filter[member as keyof ActivityFilter];
    const text = Array.isArray(value) ? value.join(",") : value;
    if (text) query.set(name, text);
  }
  // A comma is allowed in a query and is easier to read there than its escape.
  return query.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
}

/** The address of the list under a filter, with some of its members changed. */
export const activityHref = (
  filter: ActivityFilter,
  change: Partial<Record<keyof ActivityFilter, unknown>> = {},
  path = "/activity",
): string => `${path}?${activityQuery({ ...filter, ...change } as ActivityFilter)}`;

/** The filter as the service takes it; a range begins where its chart does. */
export function requestQuery(
  { range: _, money, tests, ...filter }: ActivityFilter,
  rangeSince: string,
): InputOf<"listRequests"> {
  return {
    ...filter,
    since: filter.since ?? rangeSince,
    ...(tests && { includeTest: true }),
    ...(money.length > 0 && { moneyStatus: money }),
  };
}

/** The filter's part that the chart follows. */
export const seriesQuery = ({ role, range, planId, agentId, tests }: ActivityFilter) => ({
  role,
  range,
  planId,
  agentId,
  includeTest: tests === "1",
});

/** Whether a filter narrows the list and not the chart, which counts by plan, agent and payment status alone. */
export const isBeyondChart = (filter: ActivityFilter): boolean =>
  [filter.httpStatus, filter.payer, filter.tokenId, filter.cause, filter.search].some(Boolean);

/** The filter without the parts that can be cleared. */
export const clearedFilter = ({ role, range, tests }: ActivityFilter): ActivityFilter => ({
  role,
  range,
  money: [],
  ...(tests && { tests }),
});

export const isFiltered = (filter: ActivityFilter): boolean =>
  activityQuery(filter) !== activityQuery(clearedFilter(filter));
