/** A list's URL with its search and filters. `show=all` is the default and left out. */
export function listHref(path: string, search: Record<string, string | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value && !(name === "show" && value === "all")) query.set(name, value);
  }
  return query.size > 0 ? `${path}?${query}` : path;
}
