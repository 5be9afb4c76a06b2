import { cva, type VariantProps } from "class-variance-authority";

/** The classes of a button, also for links that are actions. */
export const buttonLook = cva(
  [
    "inline-flex items-center justify-center gap-2 whitespace-nowrap rounded-control border text-label no-underline",
    "transition-colors duration-120 ease-out",
    "[&_kbd]:border-current/35 [&_kbd]:bg-transparent [&_kbd]:text-inherit",
    "aria-disabled:cursor-not-allowed aria-disabled:border-transparent aria-disabled:bg-sunken aria-disabled:text-ink-2",
    "aria-disabled:hover:border-transparent aria-disabled:hover:bg-sunken aria-disabled:hover:text-ink-2",
  ],
  {
    variants: {
      look: {
        primary: "border-transparent bg-accent text-on-accent hover:bg-accent-hover",
        plain: "border-line bg-surface text-ink hover:border-line-control hover:bg-sunken",
        quiet: "border-transparent bg-transparent text-ink-2 hover:bg-sunken hover:text-ink",
        danger: "border-transparent bg-danger text-on-accent hover:bg-danger-hover",
      },
      size: {
        small:
          "relative min-h-(--control-small) px-2 text-small font-medium max-sm:px-2.5 max-sm:after:absolute max-sm:after:-inset-1",
        normal: "min-h-(--control) px-3",
        big: "min-h-10 px-4 text-body font-medium max-sm:min-h-(--control)",
      },
    },
    defaultVariants: { look: "plain", size: "normal" },
  },
);

export type ButtonLook = VariantProps<typeof buttonLook>;
