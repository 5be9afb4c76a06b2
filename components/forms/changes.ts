/** The fields of a form that differ from what was saved: another tab, or the API, may have changed the rest meanwhile. */
export const changedFields = <Values extends object>(
  saved: Values,
  values: Values,
): Partial<Values> =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(saved[name as keyof Values]),
    ),
  ) as Partial<Values>;

export type ListChanges = { added: string[]; removed: string[] };

export const listChanges = (before: readonly string[], after: readonly string[]): ListChanges => ({
  added: [...new Set(after)].filter((one) => !before.includes(one)),
  removed: before.filter((one) => !after.includes(one)),
});

/** The list as it is now, with an edit of an older one: what others added and removed since stays. */
export const withListChanges = (
  now: readonly string[],
  { added, removed }: ListChanges,
): string[] => [
  ...now.filter((one) => !removed.includes(one)),
  ...added.filter((one) => !now.includes(one)),
];

/** The same for a list of anything, from the whole of an edit: what was typed keeps its order and comes first. */
export function mergedList<Item>(
  saved: readonly Item[],
  edited: readonly Item[],
  now: readonly Item[],
): Item[] {
  const has = (list: readonly Item[], item: Item) =>
    list.some((one) => JSON.stringify(one) === JSON.stringify(item));
  return [
    ...edited.filter((item) => has(now, item) || !has(saved, item)),
    ...now.filter((item) => !has(saved, item) && !has(edited, item)),
  ];
}
