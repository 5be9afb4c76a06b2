import type { ReactNode } from "react";

export type EmptyProps = (
  | {
      /** Nothing was created yet. One sentence and one primary action; a second one may show an example. */
      kind: "first";
    }
  | { kind: "filtered" }
) & {
  title: string;
  /** What appears here, or which filters hide it. */
  children?: ReactNode;
  actions?: ReactNode;
  /** The heading's level: 2 directly under the page's heading. */
  headingLevel?: 2 | 3;
};

/** Shown in place of the data: why there is none. */
export function Empty({ kind, title, children, actions, headingLevel = 3 }: EmptyProps) {
  const Heading = headingLevel === 2 ? "h2" : "h3";
  return (
    <div data-empty={kind} className="grid justify-items-center gap-2 px-6 py-8 text-center">
      {kind === "first" && <Drawing />}
      <Heading className="text-h3">{title}</Heading>
      {children && <p className="max-w-[44ch] text-body text-ink-2">{children}</p>}
      {actions && <div className="mt-2 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}

/** A barrier over an empty road. */
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
