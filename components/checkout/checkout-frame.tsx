import type { ReactNode } from "react";
import { cn } from "../ui/cn.ts";

/**
 * The order in one column, its summary and what is beside it in another. On small screens the summary comes between the
 * title and the order, or after an order that was placed, and what is beside it comes last.
 */
export function CheckoutFrame({
  title,
  lead,
  summary,
  beside,
  isPlaced = false,
  children,
}: {
  title: ReactNode;
  lead: ReactNode;
  summary: ReactNode;
  beside?: ReactNode;
  isPlaced?: boolean;
  children: ReactNode;
}) {
  return (
    <div className="mx-auto grid w-full max-w-226 items-start gap-x-16 gap-y-5 lg:grid-cols-[minmax(0,480px)_minmax(0,1fr)] lg:grid-rows-[auto_1fr]">
      <header className="min-w-0">
        <h1 tabIndex={-1} data-page-heading className="wrap-anywhere text-h1 outline-none">
          {title}
        </h1>
        <p className="mt-1 text-ink-2">{lead}</p>
      </header>
      <aside
        aria-label="Order summary"
        className="grid min-w-0 gap-5 max-lg:contents lg:col-start-2 lg:row-span-2 lg:row-start-1"
      >
        <div className={cn("min-w-0", isPlaced && "max-lg:order-last")}>{summary}</div>
        {beside && <div className="min-w-0 max-lg:order-last">{beside}</div>}
      </aside>
      <div className="grid min-w-0 content-start gap-5">{children}</div>
    </div>
  );
}
