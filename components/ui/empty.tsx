import type { ReactNode } from "react";
import { cn } from "./cn.ts";

export type EmptyProps = (
  | {
      /** Nothing was ever here. One sentence and one primary action; the second shows an example. */
      kind: "first";
    }
  | { kind: "filtered" }
  | { kind: "noRights" }
) & {
  title: string;
  /** What the thing is for; which filters hide it; who can grant it. */
  children?: ReactNode;
  actions?: ReactNode;
  /** Its level in the page: 2 right under the page's own heading. */
  headingLevel?: 2 | 3;
  className?: string;
};

/** Stands where the data would be, and says why there is none. */
export function Empty({ kind, title, children, actions, headingLevel = 3, className }: EmptyProps) {
  const Heading = headingLevel === 2 ? "h2" : "h3";
  return (
    <div
      data-empty={kind}
      className={cn("grid justify-items-center gap-2 px-6 py-8 text-center", className)}
    >
      {kind === "first" && <Drawing />}
      <Heading className="text-h3">{title}</Heading>
      {children && <p className="max-w-[44ch] text-body text-ink-2">{children}</p>}
      {actions && <div className="mt-2 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}

/** A barrier over a road nobody has taken yet. */
function Drawing() {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 120 40"
      className="mb-1 h-10 w-30 fill-none stroke-ink-2 stroke-1"
    >
      <path d="M0 30h120M20 30V14M20 18h46" />
      <path d="M76 26v8M88 26v8M100 26v8" className="stroke-line-control" />
    </svg>
  );
}
