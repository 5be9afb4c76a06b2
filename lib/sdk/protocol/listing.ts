import * as z from "zod/mini";
import { Count } from "./primitives.ts";

/** How many items a page of a list has at most. */
export const MAX_PAGE_SIZE = 100;
/** How many items a page has where `limit` is left out. */
export const DEFAULT_PAGE_SIZE = 25;

/** How to page through a list: by cursor, or with the `page` and `offset` some clients send. */
export const PageQuery = z.object({
  cursor: z.optional(z.string().check(z.maxLength(200))),
  limit: z.optional(z.pipe(Count, z.number().check(z.minimum(1), z.maximum(MAX_PAGE_SIZE)))),
  page: z.optional(z.pipe(Count, z.number().check(z.minimum(1), z.maximum(100_000)))),
  /** Another system's name for the page size. */
  offset: z.optional(z.pipe(Count, z.number().check(z.minimum(1)))),
  pageSize: z.optional(z.pipe(Count, z.number().check(z.minimum(1)))),
});
export type PageQuery = z.output<typeof PageQuery>;

/** One page of a list: ours (`items`, `nextCursor`) and the counting members other clients read. */
export const pageOf = <T extends z.ZodMiniType>(item: T) =>
  z.object({
    items: z.array(item),
    nextCursor: z.optional(z.string()),
    total: z.number(),
    page: z.number(),
    offset: z.number(),
  });

/** As a builder: also what test customers called and paid. */
export const IncludeTest = z
  ._default(z.union([z.boolean(), z.stringbool()]), false)
  .register(z.globalRegistry, { wire: "flag" });
