import type { ReactNode } from "react";

type ExampleSectionProps = { id: string; title: string; about: string; children: ReactNode };

/** One component: its name and rule, with its states beside them. */
export function ExampleSection({ id, title, about, children }: ExampleSectionProps) {
  return (
    <section
      id={id}
      aria-labelledby={`${id}-heading`}
      className="grid gap-x-12 gap-y-4 border-line border-t py-8 lg:grid-cols-[220px_minmax(0,1fr)]"
    >
      <div>
        <h2 id={`${id}-heading`} className="text-h2">
          {title}
        </h2>
        <p className="mt-1 max-w-[44ch] text-ink-2 text-note">{about}</p>
      </div>
      <div className="grid min-w-0 content-start gap-5">{children}</div>
    </section>
  );
}

/** A row of states. */
export function Examples({ children }: { children: ReactNode }) {
  return <div className="flex min-w-0 flex-wrap items-start gap-x-8 gap-y-4">{children}</div>;
}

/** One state with its name. */
export function Example({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid min-w-0 content-start justify-items-start gap-1.5">
      <span className="text-ink-2 text-small">{name}</span>
      {children}
    </div>
  );
}
