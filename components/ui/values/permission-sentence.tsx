import type { ReactNode } from "react";

/** One sentence that says what is granted before it is granted; the limits are in `<b>`. */
export function PermissionSentence({ children }: { children: ReactNode }) {
  return (
    <p className="text-pretty rounded-e-card rounded-s-[2px] border border-line border-s-2 border-s-accent bg-surface px-4 py-3.5 text-h3 leading-6 font-normal tabular-nums [&_b]:font-semibold sm:[&_b]:whitespace-nowrap">
      {children}
    </p>
  );
}
