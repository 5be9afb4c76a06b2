import { type ClassValue, clsx } from "clsx";
import { createTailwindMerge } from "tailwind-merge";
import { CLASS_GROUPS, REPLACES } from "./class-groups.ts";

const merge = createTailwindMerge(() => ({
  cacheSize: 500,
  theme: {},
  classGroups: CLASS_GROUPS,
  conflictingClassGroups: REPLACES,
  // With a line height after a slash, a text size sets both.
  conflictingClassGroupModifiers: { "text-size": ["leading"] },
  // Variants whose place among others decides which element is meant.
  orderSensitiveModifiers: ["*", "**", "after", "before", "file", "marker", "placeholder"],
}));

/** Joins class names. Of two that set the same property, the later wins. */
export const cn = (...classes: ClassValue[]): string => merge(clsx(classes));
