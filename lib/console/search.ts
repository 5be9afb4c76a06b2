import * as z from "zod/mini";

/** What can be found, in the order in which equal matches are shown. */
export const SearchKind = z.enum([
  "agent",
  "plan",
  "customer",
  "subscription",
  "delegation",
  "token",
  "order",
  "request",
  "apiKey",
]);
export type SearchKind = z.output<typeof SearchKind>;

export const SearchQuery = z.object({
  /** A name, an id, an address, a transaction's hash, or a part of one. */
  q: z.string().check(z.trim(), z.minLength(1), z.maxLength(200)),
});

export const SearchItem = z.object({
  kind: SearchKind,
  id: z.string(),
  name: z.string(),
  detail: z.string(),
  /** Its page. */
  href: z.optional(z.string()),
  /** Its id, address, hash or endpoint is what was searched for. */
  isExact: z.boolean(),
});
export type SearchItem = z.output<typeof SearchItem>;
