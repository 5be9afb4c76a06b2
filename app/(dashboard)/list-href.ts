/** A list's address with what is searched; to show all is what it does without being told. */
export function listHref(path: string, search: Record<string, string | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value && !(name === "show" && value === "all")) query.set(name, value);
  }
  return query.size > 0 ? `${path}?${query}` : path;
}
