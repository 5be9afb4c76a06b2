import type { ReactNode } from "react";

/** Says why a tab of the inspector is empty. */
export const Nothing = ({ children }: { children: ReactNode }) => (
  <p className="text-ink-2 text-note">{children}</p>
);
