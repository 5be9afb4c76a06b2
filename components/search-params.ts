/** The query of a page's URL, which anyone can write. */
export type SearchParams = Record<string, string | string[] | undefined>;

/** The props of a page whose path has these parameters. */
export type Routed<Name extends string> = { params: Promise<Record<Name, string>> };

/** The props of a page that reads its query. */
export type Searched<Search = SearchParams> = { searchParams: Promise<Search> };

/** Parameters of a URL by name: the first of a repeated one, and no empty ones. */
export function readTexts<Name extends string>(
  params: SearchParams,
  names: readonly Name[],
): { [name in Name]?: string } {
  const texts: { [name in Name]?: string } = {};
  for (const name of names) {
    const [text] = [params[name]].flat();
    if (text) texts[name] = text;
  }
  return texts;
}
