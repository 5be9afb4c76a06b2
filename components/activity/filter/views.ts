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

/** Why no view can be saved under a name, and what to do: saving neither replaces a view nor pushes one out. */
export function faultOfName(views: readonly SavedView[], name: string): string | undefined {
  if (views.some((view) => view.name === name)) {
    return `You already have a view named “${name}”. Choose another name, or delete that view first.`;
  }
  if (views.length >= MOST) return `You have ${MOST} views. Delete one to save another.`;
  return undefined;
}

/** The views with another, newest last. */
export const withView = (views: readonly SavedView[], view: SavedView): string =>
  JSON.stringify([...views, view]);

export const withoutView = (views: readonly SavedView[], gone: string): string =>
  JSON.stringify(views.filter(({ name }) => name !== gone));
