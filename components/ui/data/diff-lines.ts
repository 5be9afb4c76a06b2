import { diffArrays } from "diff";

export type DiffLine = { kind: "same" | "removed" | "added"; text: string };

export const diffLines = (before: string, after: string): DiffLine[] =>
  diffArrays(before.split("\n"), after.split("\n")).flatMap(({ value, removed, added }) => {
    const kind = removed ? "removed" : added ? "added" : "same";
    return value.map((text): DiffLine => ({ kind, text }));
  });
