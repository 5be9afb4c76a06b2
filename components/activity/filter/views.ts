import * as z from "zod/mini";

/** A filter under a name, as a query string. */
export type SavedView = { name: string; query: string };

const MOST = 20;
const Views = z.array(z.object({ name: z.string(), query: z.string() }));

/** The views of a stored text; none where it is not one of ours. */
export function readViews(text: string | undefined): SavedView[] {
  if (!text) return [];
  try {
    return Views.parse(JSON.parse(text));
  } catch {
    return [];
  }
}

/** The views with another, newest last; one of the same name is replaced, and the oldest goes beyond twenty. */
export const withView = (views: readonly SavedView[], view: SavedView): string =>
  JSON.stringify([...views.filter(({ name }) => name !== view.name), view].slice(-MOST));

export const withoutView = (views: readonly SavedView[], gone: string): string =>
  JSON.stringify(views.filter(({ name }) => name !== gone));
