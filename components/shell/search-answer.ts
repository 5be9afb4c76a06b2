import type { SearchItem } from "@/lib/console/search.ts";

/** What the last search found, and for which text. */
export type Found = { q: string; items: SearchItem[]; failure?: string };

/** What is known of a text. Nothing that was found for another one: Enter would open it. */
export function searchAnswer(q: string, found: Found | undefined) {
  const { items, failure } = found?.q === q ? found : { items: [] };
  return { items, failure, isReading: q !== "" && found?.q !== q };
}
