export type Findable = {
  kind: "Guides" | "Operations" | "Error codes";
  title: string;
  href: string;
  /** Where it is, or what it does. */
  note: string;
  /** What it says, in lower case. */
  words: string;
};

const MOST = 8;

/** What fits a query: every word is there, and titles come before words. */
export function findIn(index: readonly Findable[], query: string): Findable[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0)
    return index.filter(({ kind, href }) => kind === "Guides" && !href.includes("#"));
  const scored = index.flatMap((item) => {
    const score = scoreOf(item, words);
    return score > 0 ? [{ item, score }] : [];
  });
  const best = scored.toSorted((one, other) => other.score - one.score).map(({ item }) => item);
  const kinds = [...new Set(best.map(({ kind }) => kind))];
  return kinds.flatMap((kind) => best.filter((item) => item.kind === kind).slice(0, MOST));
}

function scoreOf({ title, note, words }: Findable, query: readonly string[]): number {
  const head = title.toLowerCase();
  let score = 0;
  for (const word of query) {
    if (head.startsWith(word)) score += 8;
    else if (head.includes(word)) score += 5;
    else if (note.toLowerCase().includes(word)) score += 2;
    else if (words.includes(word)) score += 1;
    else return 0;
  }
  return score;
}
