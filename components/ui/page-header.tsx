import type { ReactNode } from "react";

type PageHeaderProps = {
  title: ReactNode;
  children?: ReactNode;
  /** Beside the title: a status, an id. */
  aside?: ReactNode;
  /** Buttons, at most one of them primary. */
  actions?: ReactNode;
};

/** The head of a page. Its heading takes the focus when the page opens. */
export function PageHeader({ title, children, aside, actions }: PageHeaderProps) {
  return (
    <header className="mb-6 flex items-start justify-between gap-x-4 gap-y-3 max-sm:flex-col">
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h1 tabIndex={-1} data-page-heading className="wrap-anywhere text-h1 outline-none">
            {title}
          </h1>
          {aside}
        </div>
        {children && <p className="mt-1 max-w-[68ch] text-pretty text-ink-2">{children}</p>}
      </div>
      {actions && (
        <div className="flex shrink-0 gap-2 max-sm:w-full max-sm:flex-wrap">{actions}</div>
      )}
    </header>
  );
}

type SectionProps = {
  id: string;
  title: ReactNode;
  /** Shown at the end of the heading's line: a count, a link, a switch. */
  meta?: ReactNode;
  children: ReactNode;
};

/** A part of a page: a heading, a hairline, the content. */
export function Section({ id, title, meta, children }: SectionProps) {
  return (
    <section aria-labelledby={id} className="mt-8 min-w-0">
      <div className="mb-4 flex flex-wrap items-center gap-3 border-line border-b pb-2.5">
        <h2 id={id} className="text-h2">
          {title}
        </h2>
        {meta && <div className="ml-auto flex items-center gap-2 text-ink-2 text-note">{meta}</div>}
      </div>
      {children}
    </section>
  );
}
