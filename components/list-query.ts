import type { SearchParams } from "./search-params.ts";

/** The orders of a list that is sorted in the page. */
export const SORTS = ["newest", "oldest", "name"] as const;
export type Sort = (typeof SORTS)[number];

/** What a list in the page is searched for, its order, and the last row of the previous page. */
export type ListQuery = { q?: string; sort: Sort; after?: string };

const MAX_SEARCH = 100;
export const PAGE_ROWS = 25;

export const oneOf = <T extends string>(value: unknown, choices: readonly T[]): T | undefined =>
  choices.find((choice) => choice === value);

/** Reads the query; unknown values are ignored. */
export function readListQuery(params: SearchParams): ListQuery {
  const text = (value: unknown) => (typeof value === "string" ? value.trim() : "");
  const q = text(params.q).slice(0, MAX_SEARCH);
  const after = text(params.after);
  return { sort: oneOf(params.sort, SORTS) ?? "newest", ...(q && { q }), ...(after && { after }) };
}

/** A list's URL with its search and filters. Defaults are left out: `show=all`, `sort=newest`. */
export function listHref(path: string, search: Record<string, string | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    const isDefault = value === (name === "show" ? "all" : name === "sort" && "newest");
    if (value && !isDefault) query.set(name, value);
  }
  return query.size > 0 ? `${path}?${query}` : path;
}

/** The URL of such a list after a change, which starts at the first page. */
export function changedHref(
  path: string,
  query: ListQuery,
  change: Record<string, string | undefined>,
): string {
  const { sort, ...next } = { ...query, after: undefined, ...change };
  return listHref(path, { ...next, sort });
}

export function hasWords(text: string, q = ""): boolean {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  return words.every((word) => text.toLowerCase().includes(word));
}

/** Where a page of a list is: `newer` is absent on the first page, and empty where the first page is newer. */
export type ListPage<Row> = { rows: Row[]; total: number; newer?: string; older?: string };

/** One page of the rows that match. They come newest first. */
export function pageOf<Row extends { name: string; createdAt: string }>(
  matching: Row[],
  idOf: (row: Row) => string,
  { sort, after }: ListQuery,
): ListPage<Row> {
  const sorted = sort === "newest" ? matching : matching.toSorted(ORDERS[sort]);
  const start = after ? sorted.findIndex((row) => idOf(row) === after) + 1 : 0;
  const rows = sorted.slice(start, start + PAGE_ROWS);
  const last = rows.at(-1);
  const before = sorted[start - PAGE_ROWS - 1];
  return {
    rows,
    total: sorted.length,
    ...(start > 0 && { newer: before ? idOf(before) : "" }),
    ...(last && start + PAGE_ROWS < sorted.length && { older: idOf(last) }),
  };
}

/** Links to choose one of a few values with, by the words for them. */
export const choiceLinks = <Value extends string>(
  words: Record<Value, string>,
  chosen: Value,
  hrefOf: (value: Value) => string,
) =>
  (Object.entries(words) as [Value, string][]).map(([value, label]) => ({
    label,
    href: hrefOf(value),
    isCurrent: value === chosen,
  }));

/** The pages next to the current one of a list read by cursor, which cannot step back by one. */
export const cursorPages = (
  label: string,
  hrefOf: (cursor?: string) => string,
  { cursor, nextCursor }: { cursor?: string | undefined; nextCursor?: string | undefined },
) => ({
  label,
  newest: cursor && hrefOf(),
  older: nextCursor && hrefOf(nextCursor),
});

type Named = { name: string; createdAt: string };

const ORDERS: Record<Exclude<Sort, "newest">, (one: Named, other: Named) => number> = {
  oldest: (one, other) => Date.parse(one.createdAt) - Date.parse(other.createdAt),
  name: (one, other) => one.name.localeCompare(other.name, "en"),
};
