/** The look of a list that opens over the page, and of its items. */
export const MENU =
  "z-30 animate-fade rounded-card border border-line bg-surface p-1 text-ink shadow-dialog outline-none";
export const MENU_ITEM =
  "flex min-h-(--control) cursor-pointer select-none items-center gap-2 rounded-tag px-2 py-1 text-body no-underline outline-none " +
  "data-highlighted:bg-sunken data-[selected=true]:bg-sunken data-[disabled='']:cursor-not-allowed data-[disabled='']:text-ink-2 data-[disabled=true]:cursor-not-allowed data-[disabled=true]:text-ink-2 " +
  "forced-colors:data-highlighted:outline forced-colors:data-[selected=true]:outline";
