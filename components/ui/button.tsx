import type { ComponentProps } from "react";

const LOOKS = {
  primary:
    "bg-accent text-on-accent border-transparent hover:bg-accent-hover aria-disabled:bg-sunken aria-disabled:text-ink-2 aria-disabled:border-line",
  plain: "bg-surface text-ink border-line hover:bg-sunken hover:border-line-control",
  quiet: "bg-transparent text-ink-2 border-transparent hover:bg-sunken hover:text-ink",
} as const;

const SIZES = {
  normal: "min-h-(--control) px-3 text-label",
  big: "min-h-10 px-4 text-label sm:text-body sm:font-medium max-sm:min-h-11",
} as const;

type Look = { look?: keyof typeof LOOKS; size?: keyof typeof SIZES };

const classesOf = ({ look = "plain", size = "normal" }: Look) =>
  `inline-flex items-center justify-center gap-2 whitespace-nowrap rounded-control border no-underline transition-colors duration-120 ease-out aria-disabled:cursor-not-allowed ${LOOKS[look]} ${SIZES[size]}`;

/** A verb. Say `aria-disabled` in place of `disabled`, so that it keeps its place in the tab order. */
export function Button({ look, size, className = "", ...props }: Look & ComponentProps<"button">) {
  return (
    <button type="button" className={`${classesOf({ look, size })} ${className}`} {...props} />
  );
}

/** A link that looks like a verb, for going somewhere. */
export function ButtonLink({ look, size, className = "", ...props }: Look & ComponentProps<"a">) {
  return <a className={`${classesOf({ look, size })} ${className}`} {...props} />;
}
