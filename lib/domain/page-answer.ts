import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, type PageQuery } from "@turnpike/payments/protocol";
import type { Page } from "./records.ts";

/** How many items a page has at most. */
export const pageSizeOf = ({ limit, pageSize, offset }: PageQuery): number =>
  Math.min(limit ?? pageSize ?? offset ?? DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE);

/** A page as the API answers it: ours and the counting members other clients read. */
export const pageAnswer = <T>(page: Page<T>, query: PageQuery) => ({
  items: page.items,
  ...(page.nextCursor && { nextCursor: page.nextCursor }),
  total: page.total,
  page: query.page ?? 1,
  offset: pageSizeOf(query),
});
