/** A filter under a name, as a query string. */
export type SavedView = { name: string; query: string };

const MOST = 20;

/** The views of a stored text; none where it is not one of ours. */
export function readViews(text: string | undefined): SavedView[] {
  if (!text) return [];
  try {
    const stored: unknown = JSON.parse(text);
    return Array.isArray(stored) && stored.every(isView) ? stored : [];
  } catch {
    return [];
  }
}

// Not a schema: it would be the list's only one on a first visit, with its library (ADR 35).
const isView = (one: Partial<Record<string, unknown>> | null): one is SavedView =>
  typeof one?.name === "string" && typeof one.query === "string";

/** The views with another, newest last; one of the same name is replaced, and the oldest goes beyond twenty. */
export const withView = (views: readonly SavedView[], view: SavedView): string =>
  JSON.stringify([...views.filter(({ name }) => name !== view.name), view].slice(-MOST));

export const withoutView = (views: readonly SavedView[], gone: string): string =>
  JSON.stringify(views.filter(({ name }) => name !== gone));
