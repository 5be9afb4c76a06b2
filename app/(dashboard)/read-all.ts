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
