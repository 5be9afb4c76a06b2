import { platformOf } from "./platform.ts";
import { created, integer, readParams, text, texts } from "./read-params.ts";
import { find, type Scope } from "./scope.ts";
import type { AnyStored, Kind, Stored } from "./store.ts";
import { invalid, refused } from "./stripe-failure.ts";

/** The parameters of every list. */
export const paging = { limit: integer, starting_after: text, ending_before: text };
type Paging = {
  limit?: number | undefined;
  starting_after?: string | undefined;
  ending_before?: string | undefined;
};

/** One page of rows, newest first, as in Stripe's lists. */
export function listAnswer<K extends Kind>(
  scope: Scope,
  kind: K,
  url: string,
  page: Paging,
  fits: (row: Stored[K]) => boolean,
) {
  const limit = limitOf(page.limit);
  const rows = scope.work.all(kind).filter(fits).reverse();
  const indexOf = (id: string, param: string) => {
    find(scope, kind, id, param);
    return rows.findIndex((row) => row.id === id);
  };
  if (page.ending_before !== undefined) {
    const end = indexOf(page.ending_before, "ending_before");
    const before = rows.slice(0, Math.max(end, 0));
    const data = before.slice(-limit);
    return { object: "list", url, has_more: before.length > data.length, data };
  }
  const start =
    page.starting_after === undefined ? 0 : indexOf(page.starting_after, "starting_after") + 1;
  const data = rows.slice(start, start + limit);
  return { object: "list", url, has_more: rows.length > start + limit, data };
}

type DatedKind = {
  [K in Kind]: Stored[K] extends { created: number } ? K : never;
}[Kind];

/** A list route, filtered by `created` and by parameters that name a field. `isShown` leaves rows out. */
export const listOf =
  <K extends DatedKind>(
    kind: K,
    fields: Record<string, keyof Stored[K]>,
    isShown: (scope: Scope, row: Stored[K]) => boolean = () => true,
  ) =>
  (scope: Scope) => {
    const texts = Object.fromEntries(Object.keys(fields).map((name) => [name, text]));
    const given = readParams(scope.params, { ...texts, ...paging, created });
    const asked = Object.entries(given).filter(([name]) => Object.hasOwn(fields, name));
    return listAnswer(
      scope,
      kind,
      `/v1/${kind}s`,
      given,
      (row) =>
        isShown(scope, row) &&
        (given.created?.(row.created) ?? true) &&
        asked.every(([name, value]) => row[fields[name] as keyof Stored[K]] === value),
    );
  };

/** Events, of some types where those are given. */
export function listEvents(scope: Scope) {
  const { types, ...given } = readParams(scope.params, { ...paging, created, types: texts });
  return listAnswer(
    scope,
    "event",
    "/v1/events",
    given,
    (event) => (given.created?.(event.created) ?? true) && (types?.includes(event.type) ?? true),
  );
}

const CLAUSE =
  /^\s*(?:(metadata)\[(["'])([^"']{1,40})\2\]|([a-z_]+))\s*:\s*(["'])((?:(?!\5).)*)\5\s*(?:AND\s+|$)/i;

/**
 * A search by exact values: `metadata["account"]:"x" AND metadata["environment"]:"live"`. The index of rows lags behind the
 * store, as Stripe's does.
 */
export function searchCustomers(scope: Scope) {
  const { hasNoSearch, searchLagSecs = 0 } = platformOf(scope);
  if (hasNoSearch) throw refused("Search is not available in your country.");
  const given = readParams(scope.params, { query: text, limit: integer, page: text });
  const { query = "", limit, page } = given;
  const clauses = parseQuery(query);
  const isIndexed = ({ created }: { created: number }) => created + searchLagSecs <= scope.now;
  const rows = scope.work
    .all("customer")
    .filter((row) => isIndexed(row) && clauses.every((fits) => fits(row)))
    .reverse();
  const start = page === undefined ? 0 : Number(page);
  const size = limitOf(limit);
  const hasMore = rows.length > start + size;
  return {
    object: "search_result",
    url: "/v1/customers/search",
    has_more: hasMore,
    next_page: hasMore ? String(start + size) : null,
    data: rows.slice(start, start + size),
  };
}

function parseQuery(query: string): ((row: AnyStored) => boolean)[] {
  const clauses: ((row: AnyStored) => boolean)[] = [];
  let rest = query;
  while (rest.trim() !== "") {
    const match = CLAUSE.exec(rest);
    if (!match) throw invalid("We were unable to parse your search query.", { param: "query" });
    const [whole, metadata, , key, field, , value] = match;
    clauses.push(
      (row) => readPath(row, metadata ? ["metadata", key ?? ""] : [field ?? ""]) === value,
    );
    rest = rest.slice(whole.length);
  }
  if (clauses.length === 0) throw invalid("Missing required param: query.", { param: "query" });
  return clauses;
}

function readPath(row: AnyStored, path: string[]): unknown {
  let value: unknown = row;
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step))
      return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

function limitOf(limit: number | undefined): number {
  if (limit === undefined) return 10;
  if (limit >= 1 && limit <= 100) return limit;
  throw invalid("This value must be between 1 and 100.", { param: "limit" });
}
