const PAGE = 100;
/** Larger lists show only their newest items, and the page says so. */
const MOST = 1_000;

type Query = { limit: number; cursor?: string };
type Page<Item> = { items: Item[]; nextCursor?: string | undefined };

/** Every item of a list, newest first; `isWhole` is false when there are more. */
export async function readAll<Item>(readPage: (query: Query) => Promise<Page<Item>>) {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await readPage({ limit: PAGE, ...(cursor && { cursor }) });
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor && items.length < MOST);
  return { items, isWhole: !cursor };
}

/** The rows of a list that match, as pages whose cursor is a page number; `first` is the first row that was read. */
export async function readMatching<Item>(
  readPage: (query: Query) => Promise<Page<Item>>,
  {
    limit,
    cursor = "",
    matches,
  }: Partial<Query> & { limit: number; matches: (item: Item) => boolean },
) {
  const { items: all, isWhole } = await readAll(readPage);
  const items = all.filter(matches);
  const page = /^\d{1,3}$/.test(cursor) ? Number(cursor) : 0;
  const end = (page + 1) * limit;
  return {
    items: items.slice(page * limit, end),
    total: items.length,
    ...(items.length > end && { nextCursor: String(page + 1) }),
    isWhole,
    first: all[0],
  };
}
