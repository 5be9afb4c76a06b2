import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect } from "react";

/** The rows of a long list that are rendered, and the height of those above and below, in pixels. */
export type RowWindow = {
  first: number;
  last: number;
  before: number;
  after: number;
  measure?: ((element: Element | null) => void) | undefined;
};

type RowWatcherProps = {
  keys: readonly string[];
  top: number;
  rowPx: number;
  onMove: (change: (known: RowWindow | undefined) => RowWindow) => void;
};

/** Reports which rows of a long list are in sight. Renders nothing, and is fetched for the first long list. */
export function RowWatcher({ keys, top, rowPx, onMove }: RowWatcherProps) {
  const virtualizer = useWindowVirtualizer({
    count: keys.length,
    estimateSize: () => rowPx,
    overscan: 6,
    scrollMargin: top,
    getItemKey: (index) => keys[index] ?? index,
  });
  const items = virtualizer.getVirtualItems();
  const [start, end] = [items[0], items.at(-1)];
  const first = start?.index ?? 0;
  const last = end?.index ?? -1;
  const before = (start?.start ?? top) - top;
  const after = Math.max(0, virtualizer.getTotalSize() - ((end?.end ?? top) - top));
  useLayoutEffect(() => {
    if (last < 0) return;
    const next = { first, last, before, after, measure: virtualizer.measureElement };
    onMove((known) => (known && isSame(known, next) ? known : next));
  }, [first, last, before, after, onMove, virtualizer]);
  return null;
}

const isSame = (a: RowWindow, b: RowWindow) =>
  a.first === b.first && a.last === b.last && a.before === b.before && a.after === b.after;
