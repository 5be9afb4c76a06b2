import { cva } from "class-variance-authority";

/** The look of a status: a tinted pill with an icon and a word. Large for the outcome of a run. */
export const pill = cva(
  "inline-flex items-center whitespace-nowrap rounded-full text-ink forced-colors:border",
  {
    variants: {
      size: {
        normal: "h-5.5 gap-1.5 ps-1.5 pe-2.25 text-small font-medium",
        large: "h-7 gap-1.5 ps-2 pe-3 text-body font-semibold",
      },
    },
    defaultVariants: { size: "normal" },
  },
);

export type PillSize = "normal" | "large";
