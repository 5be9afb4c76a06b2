import * as z from "zod";
import { Count } from "./primitives.ts";

export const MAX_PAGE_SIZE = 100;
export const DEFAULT_PAGE_SIZE = 25;

/** How to page through a list: by cursor, or with the `page` and `offset` some clients send. */
export const PageQuery = z.object({
  cursor: z.string().max(200).optional(),
  limit: Count.pipe(z.number().min(1).max(MAX_PAGE_SIZE)).optional(),
  page: Count.pipe(z.number().min(1).max(100_000)).optional(),
  /** Another system's name for the page size. */
  offset: Count.pipe(z.number().min(1)).optional(),
  pageSize: Count.pipe(z.number().min(1)).optional(),
});
export type PageQuery = z.output<typeof PageQuery>;

/** One page of a list: ours (`items`, `nextCursor`) and the counting members other clients read. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({
    items: z.array(item),
    nextCursor: z.string().optional(),
    total: z.number(),
    page: z.number(),
    offset: z.number(),
  });
