/**
 * Items as the ledger takes them: what many have in common, as settlements of a lease, is sent and looked up once, and what
 * they have for themselves is in lists. Of items with one key the newest kind is compared.
 *
 * @example together(settlements, ({ fingerprint }) => fingerprint, { ids: "agentRequestId" })
 */
export function together<Item extends object, List extends string>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  lists: Record<List, keyof Item>,
): (Partial<Item> & Record<List, unknown[]> & { ords: number[] })[] {
  type Row = Partial<Item> & Record<List, unknown[]> & { ords: number[] };
  const own = Object.entries(lists) as [List, keyof Item][];
  const without = Object.fromEntries(own.map(([, name]) => [name, undefined]));
  const rows: Row[] = [];
  const newest = new Map<string, { first: Item; row: Row }>();
  items.forEach((item, ord) => {
    const key = keyOf(item);
    let kind = newest.get(key);
    if (!kind || !isAlike(kind.first, item, without)) {
      const empty = Object.fromEntries(own.map(([list]) => [list, []]));
      kind = { first: item, row: { ords: [], ...empty, ...item, ...without } as unknown as Row };
      rows.push(kind.row);
      newest.set(key, kind);
    }
    kind.row.ords.push(ord);
    for (const [list, name] of own) kind.row[list].push(item[name]);
  });
  return rows;
}

/** Whether items have all else in common. */
function isAlike<Item extends object>(one: Item, other: Item, without: object): boolean {
  const names = Object.keys(one) as (keyof Item)[];
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => one[name] === other[name] || name in without);
}
