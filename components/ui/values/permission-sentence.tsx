import type { ReactNode } from "react";

/** What is granted, in one sentence, before it is granted; what counts stands in `<b>`. */
export function PermissionSentence({ children }: { children: ReactNode }) {
  return (
    <p className="text-pretty rounded-e-card rounded-s-[2px] border border-line border-s-2 border-s-accent bg-surface px-4 py-3.5 text-h3 leading-6 font-normal tabular-nums [&_b]:font-semibold sm:[&_b]:whitespace-nowrap">
      {children}
    </p>
  );
}
