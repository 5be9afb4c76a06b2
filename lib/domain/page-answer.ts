import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, type PageQuery } from "@turnpike/payments/protocol";
import type { Page } from "./records.ts";

/** A page as the API answers it: ours and the counting members other clients read. */
export function pageAnswer<T>(page: Page<T>, query: PageQuery) {
  const size = query.limit ?? query.pageSize ?? query.offset ?? DEFAULT_PAGE_SIZE;
  return {
    items: page.items,
    ...(page.nextCursor && { nextCursor: page.nextCursor }),
    total: page.total,
    page: query.page ?? 1,
    offset: Math.min(size, MAX_PAGE_SIZE),
  };
}
