import { type ClassValue, clsx } from "clsx";
import { extendTailwindMerge } from "tailwind-merge";

// The names of our own scales in `app/globals.css`.
const merge = extendTailwindMerge({
  extend: {
    theme: {
      text: [
        ...["display", "h1", "h2", "h3", "body", "label", "note", "small"],
        ...["figure", "mono", "tick"],
      ],
      radius: ["tag", "control", "card", "dialog"],
      shadow: ["dialog"],
      animate: ["spin", "appear", "fade", "rise", "slide"],
    },
  },
});

/** Joins class names. Of two that set the same property, the later wins. */
export const cn = (...classes: ClassValue[]): string => merge(clsx(classes));
