import type { ComponentProps, ReactNode } from "react";
import { cn } from "../cn.ts";

/** Where a cell goes on a phone, where each row is one block. */
export type PhonePlace = "title" | "line" | "start" | "end" | "hidden";

const PLACES: Record<PhonePlace, string> = {
  title: "max-sm:order-first max-sm:col-span-full",
  line: "max-sm:col-span-full",
  start: "",
  end: "max-sm:col-start-2 max-sm:justify-self-end max-sm:text-end",
  hidden: "max-sm:hidden",
};

/** A label at the start of a line and its value at the end. */
const PAIR =
  "max-sm:col-span-full max-sm:flex max-sm:items-center max-sm:justify-between max-sm:gap-x-4 max-sm:text-end";
const isSide = (place: PhonePlace) => place === "start" || place === "end";

/** The frame around a table and its foot. */
export function TableFrame({ className, ...props }: ComponentProps<"div">) {
  return (
    <div
      {...props}
      className={cn(
        "relative min-w-0 overflow-hidden rounded-card border border-line bg-surface",
        className,
      )}
    />
  );
}

type TableProps = ComponentProps<"table"> & { caption: string };

/** A head of 32 px and rows of 40 px, or 32 px where the reader chose compact tables; on phones each row is one block. */
export function Table({ caption, className, ...props }: TableProps) {
  return (
    <div className="overflow-x-auto max-sm:overflow-visible">
      <table {...props} className={cn("w-full border-collapse text-note max-sm:block", className)}>
        <caption className="sr-only">{caption}</caption>
        {props.children}
      </table>
    </div>
  );
}

export function TableHead({ children }: { children: ReactNode }) {
  return (
    <thead className="max-sm:sr-only">
      <tr>{children}</tr>
    </thead>
  );
}

export function TableBody({ className, ...props }: ComponentProps<"tbody">) {
  return <tbody {...props} className={cn("max-sm:block", className)} />;
}

type CellProps = { align?: "start" | "end" };

type HeadCellProps = CellProps & Omit<ComponentProps<"th">, "align">;

export function HeadCell({ align, className, ...props }: HeadCellProps) {
  return (
    <th
      scope="col"
      {...props}
      className={cn(
        "h-8 whitespace-nowrap border-line border-b bg-sunken px-3 font-medium text-ink-2 text-small first:ps-4 last:pe-4",
        align === "end" ? "text-end" : "text-start",
        className,
      )}
    />
  );
}

type TableRowProps = ComponentProps<"tr"> & { isOpen?: boolean };

/** A row; `isOpen` tints it and gives it an accent edge. */
export function TableRow({ isOpen, className, ...props }: TableRowProps) {
  return (
    <tr
      {...props}
      data-open={isOpen || undefined}
      className={cn(
        "relative border-line not-last:border-b hover:bg-sunken/60",
        "max-sm:grid max-sm:grid-flow-dense max-sm:grid-cols-[minmax(0,1fr)_auto] max-sm:items-center max-sm:gap-x-3 max-sm:gap-y-1 max-sm:px-4 max-sm:py-2.5",
        isOpen &&
          "bg-tint-accent shadow-[inset_2px_0_0_var(--accent)] hover:bg-tint-accent rtl:shadow-[inset_-2px_0_0_var(--accent)] forced-colors:outline forced-colors:outline-[Highlight]",
        className,
      )}
    />
  );
}

export function Cell({
  align,
  phone = "start",
  label,
  head,
  className,
  ...props
}: CellProps & {
  phone?: PhonePlace;
  /** The column's head: on phones only screen readers get it, as the value shows what it is. */
  head?: ReactNode;
  /** Shown before the value on phones, where there is no head; both share a line. */
  label?: string;
} & Omit<ComponentProps<"td">, "align">) {
  return (
    <td
      {...props}
      data-label={label}
      data-head={label || phone === "title" || typeof head !== "string" ? undefined : head}
      className={cn(
        "h-(--row) px-3 py-(--row-pad) align-middle first:ps-4 last:pe-4",
        "max-sm:h-auto max-sm:min-h-6 max-sm:p-0 max-sm:first:ps-0 max-sm:last:pe-0 max-sm:text-start max-sm:empty:hidden",
        label &&
          "max-sm:before:text-ink-2 max-sm:before:content-[attr(data-label)] max-sm:before:me-1.5",
        "max-sm:data-head:before:sr-only max-sm:data-head:before:content-[attr(data-head)_':_']",
        align === "end" && "text-end tabular-nums",
        label && isSide(phone) ? PAIR : PLACES[phone],
        className,
      )}
    />
  );
}

/** A message in place of the rows: nothing there, nothing found, not loaded. */
export function TableMessage({ columns, children }: { columns: number; children: ReactNode }) {
  return (
    <tr className="max-sm:block">
      <td colSpan={columns} className="p-0 max-sm:block">
        {children}
      </td>
    </tr>
  );
}

export function TableFoot({ children, actions }: { children?: ReactNode; actions?: ReactNode }) {
  return (
    <div className="flex min-h-11 flex-wrap items-center gap-3 border-line border-t px-4 py-2 text-ink-2 text-note tabular-nums">
      {children}
      {actions && <div className="ms-auto flex gap-1">{actions}</div>}
    </div>
  );
}
