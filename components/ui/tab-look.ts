export const TAB_LIST =
  "flex gap-5 overflow-x-auto border-line border-b [scrollbar-width:none] max-sm:gap-6";
export const TAB =
  "relative inline-flex h-9.5 shrink-0 items-center gap-1.5 whitespace-nowrap text-ink-2 text-label no-underline -outline-offset-3 hover:text-ink max-sm:h-(--hit) " +
  "after:absolute after:inset-x-0 after:bottom-0 after:h-0.5 " +
  "aria-selected:text-ink aria-selected:after:bg-accent aria-[current=page]:text-ink aria-[current=page]:after:bg-accent " +
  "forced-colors:aria-selected:after:bg-[Highlight] forced-colors:aria-[current=page]:after:bg-[Highlight]";
