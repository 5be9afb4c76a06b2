import type { OutputOf, RequestRecord } from "@turnpike/payments/protocol";

export type RequestPage = Pick<OutputOf<"listRequests">, "items" | "nextCursor" | "total">;

/** The rows that are shown, newest first, and where the older ones begin. */
export type Rows = { items: RequestRecord[]; nextCursor?: string | undefined; total: number };

/** Identifies one request of one plan: gates choose the ids, and two gates may choose the same. */
export const rowKey = ({ agentRequestId, planId, at }: RequestRecord): string =>
  `${agentRequestId}/${planId ?? at}`;

/**
 * The rows after the newest page was read again: changed rows are replaced, rows that no longer match the
 * filter go. When more arrived than a page holds, the list starts over, so that no row is missing in between.
 */
export function mergeNewest(known: Rows, page: RequestPage): Rows {
  const last = page.items.at(-1);
  if (!page.nextCursor || !last) return page;
  const inPage = new Set(page.items.map(rowKey));
  if (!known.items.some((row) => inPage.has(rowKey(row)))) return page;
  const older = known.items.filter((row) => row.at <= last.at && !inPage.has(rowKey(row)));
  if (older.length === 0) return page;
  return {
    items: [...page.items, ...older],
    nextCursor: known.nextCursor,
    total: page.total,
  };
}

export function appendOlder(known: Rows, page: RequestPage): Rows {
  const have = new Set(known.items.map(rowKey));
  const more = page.items.filter((row) => !have.has(rowKey(row)));
  return { items: [...known.items, ...more], nextCursor: page.nextCursor, total: known.total };
}
