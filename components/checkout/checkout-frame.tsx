import type { ReactNode } from "react";

/** The order in one column, its summary beside it; on small screens the summary comes first. */
export function CheckoutFrame({
  title,
  lead,
  summary,
  children,
}: {
  title: ReactNode;
  lead: ReactNode;
  summary: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className="mx-auto grid w-full max-w-226 items-start gap-x-16 gap-y-6 lg:grid-cols-[minmax(0,480px)_minmax(0,1fr)]">
      <div className="grid min-w-0 content-start gap-5">
        <header>
          <h1 tabIndex={-1} data-page-heading className="wrap-anywhere text-h1 outline-none">
            {title}
          </h1>
          <p className="mt-1 text-ink-2">{lead}</p>
        </header>
        {children}
      </div>
      <aside aria-label="Order summary" className="min-w-0 max-lg:order-first">
        {summary}
      </aside>
    </div>
  );
}
