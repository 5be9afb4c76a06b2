/** What saving a name did; undefined where it changed nothing. */
export function changedNameText(before: string, typed: string): string | undefined {
  const name = typed.trim();
  if (name === before) return undefined;
  return name ? "Name saved" : "Name removed";
}
