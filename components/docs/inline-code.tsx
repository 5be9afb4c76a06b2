import type { ReactNode } from "react";

/** A sentence whose parts between backticks are code. */
export const inlineCode = (text: string): ReactNode[] =>
  text
    .split(/`([^`]+)`/)
    // biome-ignore lint/suspicious/noArrayIndexKey: the words of a fixed text keep their places.
    .map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
