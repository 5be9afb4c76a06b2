/** The look of every text and choice field; 16 px text keeps phones from zooming. */
export const CONTROL =
  "w-full min-w-0 rounded-control border border-line-control bg-surface px-2.5 text-body text-ink placeholder:text-ink-2 placeholder:opacity-100 max-sm:text-[1rem] " +
  "focus-visible:border-transparent focus-visible:outline-offset-0 focus-visible:rounded-control " +
  "aria-invalid:border-refused disabled:cursor-not-allowed disabled:border-line disabled:bg-sunken disabled:text-ink-2";

export const ONE_LINE = "h-(--control-form)";
