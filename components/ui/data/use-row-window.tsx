import { type RefObject, useEffect, useLayoutEffect, useState } from "react";
import { createLater } from "../later.ts";
import type { RowWindow } from "./row-window.ts";

const RowWatcher = createLater(() => import("./row-window.ts"), "RowWatcher");

const LONG_FROM = 50;
const ROW_PX = 41;
const PHONE_ROW_PX = 104;
const PHONE_PX = 640;

type RowWindowOptions = {
  keys: readonly string[];
  body: RefObject<HTMLTableSectionElement | null>;
  /** Called when the last row comes into sight. */
  onEnd?: (() => void) | undefined;
};

/** Renders only the rows in sight of a long list. Place the `watcher` beside the table. */
export function useRowWindow({ keys, body, onEnd }: RowWindowOptions) {
  const { top, isPhone } = usePlace(body);
  const [isLong, setLong] = useState(false);
  const [seen, setSeen] = useState<RowWindow>();
  // Only once the browser has laid the page out: the server's rows have no sizes.
  useEffect(() => setLong(keys.length >= LONG_FROM), [keys.length]);
  const Watcher = RowWatcher.usePart(isLong, () => setLong(false));
  const last = Math.min(seen?.last ?? -1, keys.length - 1);
  const rowWindow = isLong && Watcher && seen ? { ...seen, last } : undefined;
  const isAtEnd = rowWindow !== undefined && last >= keys.length - 1;
  useEffect(() => {
    if (isAtEnd) onEnd?.();
  }, [isAtEnd, onEnd]);
  return {
    rowWindow,
    watcher: isLong && Watcher && (
      <Watcher keys={keys} top={top} rowPx={isPhone ? PHONE_ROW_PX : ROW_PX} onMove={setSeen} />
    ),
  };
}

/** Where the rows begin on the page, and whether they are blocks of a phone. */
function usePlace(body: RefObject<HTMLElement | null>) {
  const [place, setPlace] = useState({ top: 0, isPhone: false });
  useLayoutEffect(() => {
    const measure = () => {
      const top = (body.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
      const isPhone = window.innerWidth < PHONE_PX;
      setPlace((known) =>
        known.top === top && known.isPhone === isPhone ? known : { top, isPhone },
      );
    };
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(document.body);
    return () => watcher.disconnect();
  }, [body]);
  return place;
}
