"use client";

import { useWindowVirtualizer } from "@tanstack/react-virtual";
import type { RequestRecord } from "@turnpike/payments/protocol";
import { memo, useLayoutEffect } from "react";
import { rowKey } from "./merge-rows.ts";

/** The rows in sight, by their places, and the height of those above and below. */
export type SeenRows = {
  first: number;
  last: number;
  before: number;
  after: number;
  measure: (element: Element | null) => void;
  show: (index: number) => void;
};

type RowWindowProps = {
  rows: readonly RequestRecord[];
  /** Where the rows begin on the page. */
  top: number;
  rowPx: number;
  onMove: (change: (known: SeenRows | undefined) => SeenRows) => void;
};

/** Says which rows of a long list are in sight; shows nothing itself, and comes with the first long list. */
export const RowWindow = memo(function RowWindow({ rows, top, rowPx, onMove }: RowWindowProps) {
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowPx,
    overscan: 12,
    scrollMargin: top,
    getItemKey: (index) => rowKey(rows[index] as RequestRecord),
  });
  const items = virtualizer.getVirtualItems();
  const [start, end] = [items[0], items.at(-1)];
  const first = start?.index ?? 0;
  const last = end?.index ?? -1;
  const before = (start?.start ?? top) - top;
  const after = Math.max(0, virtualizer.getTotalSize() - ((end?.end ?? top) - top));
  useLayoutEffect(() => {
    if (last < 0) return;
    onMove((known) =>
      known?.first === first &&
      known.last === last &&
      known.before === before &&
      known.after === after
        ? known
        : {
            first,
            last,
            before,
            after,
            measure: virtualizer.measureElement,
            show: (index) => virtualizer.scrollToIndex(index, { align: "auto" }),
          },
    );
  }, [first, last, before, after, onMove, virtualizer]);
  return null;
});
