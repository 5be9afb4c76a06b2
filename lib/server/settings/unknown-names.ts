import { SETTING_NAMES } from "../env.ts";

/** Other programs' names differ by more from ours, and a slip of the keyboard by less. */
const MOST_CHANGES = 3;

/**
 * Which variables look like settings, and are none: their values are not read, and nothing fails for that. A name is taken
 * for a setting that it differs from in few letters, or whose last words it lacks.
 */
export function findUnknownNames(source: Record<string, string | undefined>): string[] {
  return Object.entries(source).flatMap(([name, value]) => {
    if (!value?.trim() || SETTING_NAMES.includes(name)) return [];
    const isSimilar = (known: string) =>
      (name.includes("_") && known.startsWith(`${name}_`)) ||
      changesBetween(name, known) <= Math.min(MOST_CHANGES, name.length / 4);
    const similar = SETTING_NAMES.find(isSimilar);
    return similar ? [`${name} is not a setting. Did you mean ${similar}?`] : [];
  });
}

/** Levenshtein's distance. */
function changesBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [at, known] of [...other].entries()) {
      const [replaced = 0, removed = 0] = row.slice(at, at + 2);
      const changed = replaced + (letter === known ? 0 : 1);
      next.push(Math.min(changed, removed + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
