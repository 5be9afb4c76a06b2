import { type ClassValue, clsx } from "clsx";
import { extendTailwindMerge } from "tailwind-merge";

// Without the names of our scale `text-label` counts as a colour and loses to `text-ink`.
const merge = extendTailwindMerge({
  extend: {
    theme: {
      text: [
        "display",
        "h1",
        "h2",
        "h3",
        "body",
        "label",
        "note",
        "small",
        "figure",
        "mono",
        "tick",
      ],
      radius: ["tag", "control", "card", "dialog"],
      shadow: ["dialog"],
      animate: ["spin", "appear", "fade", "rise", "slide"],
    },
  },
});

/** Joins class names; of two that set the same property the later wins. */
export function cn(...classes: ClassValue[]): string {
  return merge(clsx(classes));
}
