const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;

/** The words of a line in the order in which they are drawn from the left; a font lays out one word at a time. */
export function drawnOrder(line: string): string {
  if (!RIGHT_TO_LEFT.test(line)) return line;
  const runs: { isReversed: boolean; words: string[] }[] = [];
  for (const word of line.split(" ")) {
    const last = runs.at(-1);
    // Words without letters go with those before them.
    const isReversed = /\p{L}/u.test(word) ? RIGHT_TO_LEFT.test(word) : last?.isReversed === true;
    if (last?.isReversed === isReversed) last.words.push(word);
    else runs.push({ isReversed, words: [word] });
  }
  const drawn = runs.map(({ isReversed, words }) => (isReversed ? words.reverse() : words));
  return (runs[0]?.isReversed ? drawn.reverse() : drawn).flat().join(" ");
}
