import { listHref } from "../../list-query.ts";

export const RECONCILE_PATH = "/activity/reconcile";

/** The query of the page: the side and the range of the other views, which it keeps, and its own cursor. */
export type QueueSearch = { side: string; cursor?: string | undefined };

/** Where the newest and the older requests are. */
export function queuePages({ side, cursor }: QueueSearch, nextCursor: string | undefined) {
  const hrefOf = (one?: string) =>
    listHref(RECONCILE_PATH, { ...Object.fromEntries(new URLSearchParams(side)), cursor: one });
  return {
    newest: cursor && hrefOf(),
    older: nextCursor && hrefOf(nextCursor),
  };
}
