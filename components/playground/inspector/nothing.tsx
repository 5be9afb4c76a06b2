import type { ReactNode } from "react";

/** Stands in a tab of the inspector that has nothing to show, and says why. */
export const Nothing = ({ children }: { children: ReactNode }) => (
  <p className="text-ink-2 text-note">{children}</p>
);
