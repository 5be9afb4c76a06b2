export type DiffLine = { kind: "same" | "removed" | "added"; text: string };

/** Beyond this many pairs to compare, what differs is shown as taken out and put in whole. */
const MOST_PAIRS = 1_000_000;

/** The lines of two texts side by side: as few as can be are taken out and put in. */
export function diffLines(before: string, after: string): DiffLine[] {
  const left = before.split("\n");
  const right = after.split("\n");
  const start = countSame(left, right);
  const rest = [left.slice(start), right.slice(start)] as const;
  const end = countSame(rest[0].toReversed(), rest[1].toReversed());
  const same = (texts: string[]) => texts.map((text): DiffLine => ({ kind: "same", text }));
  return [
    ...same(left.slice(0, start)),
    ...diffMiddle(rest[0].slice(0, rest[0].length - end), rest[1].slice(0, rest[1].length - end)),
    ...same(left.slice(left.length - end)),
  ];
}

function countSame(left: readonly string[], right: readonly string[]): number {
  let count = 0;
  while (count < left.length && count < right.length && left[count] === right[count]) count += 1;
  return count;
}

function diffMiddle(left: string[], right: string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: "removed", text });
  const added = (text: string): DiffLine => ({ kind: "added", text });
  if (left.length * right.length > MOST_PAIRS) return [...left.map(removed), ...right.map(added)];

  const common = commonLengths(left, right);
  const lengthAt = (row: number, column: number) => common[row]?.[column] ?? 0;
  const lines: DiffLine[] = [];
  let row = 0;
  let column = 0;
  while (row < left.length || column < right.length) {
    const one = left[row];
    const other = right[column];
    if (one !== undefined && one === other) {
      lines.push({ kind: "same", text: one });
      row += 1;
      column += 1;
    } else if (
      one !== undefined &&
      (other === undefined || lengthAt(row + 1, column) >= lengthAt(row, column + 1))
    ) {
      lines.push(removed(one));
      row += 1;
    } else if (other !== undefined) {
      lines.push(added(other));
      column += 1;
    }
  }
  return lines;
}

/** `common[i][j]`: how many lines the rests from `i` and from `j` have in common, in order. */
function commonLengths(left: string[], right: string[]): number[][] {
  const table = Array.from({ length: left.length + 1 }, () =>
    new Array<number>(right.length + 1).fill(0),
  );
  for (let row = left.length - 1; row >= 0; row--) {
    for (let column = right.length - 1; column >= 0; column--) {
      const here = table[row] as number[];
      const below = table[row + 1] as number[];
      here[column] =
        left[row] === right[column]
          ? (below[column + 1] as number) + 1
          : Math.max(below[column] as number, here[column + 1] as number);
    }
  }
  return table;
}
