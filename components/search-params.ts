/** The query of a page's URL, which anyone can write. */
export type SearchParams = Record<string, string | string[] | undefined>;

/** The props of a page that reads its query. */
export type Searched<Search = SearchParams> = { searchParams: Promise<Search> };
