import type { ReactNode } from "react";
import { cn } from "../cn.ts";

/** Values by their terms; one that is nothing, false or empty does not apply and is left out. */
export type Definitions = Readonly<Record<string, ReactNode>>;

/** One of a list whose terms repeat, or are more than text. */
type Definition = { term: ReactNode; value: ReactNode };

type DefinitionListProps = {
  items: Definitions | readonly Definition[];
  look?: "aligned" | "split";
  className?: string;
};

/** Terms and values, separated by hairlines. `split` puts values at the end of the line, as on a plan card. */
export function DefinitionList({ items, look = "aligned", className }: DefinitionListProps) {
  const isSplit = look === "split";
  return (
    <dl
      className={cn(
        "grid text-note",
        !isSplit &&
          "grid-cols-[minmax(0,max-content)_minmax(0,1fr)] gap-x-4 max-[16rem]:grid-cols-1",
        className,
      )}
    >
      {definitionsOf(items).map(({ term, value }, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a fixed list keep their places.
          key={index}
          className={cn(
            "border-line py-1.75 not-last:border-b",
            isSplit
              ? "flex items-center justify-between gap-4"
              : "col-span-full grid grid-cols-subgrid items-center",
          )}
        >
          <dt className="text-ink-2">{term}</dt>
          <dd className={cn("wrap-anywhere min-w-0 tabular-nums", isSplit && "text-end")}>
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const definitionsOf = (items: Definitions | readonly Definition[]): readonly Definition[] =>
  Array.isArray(items)
    ? items
    : Object.entries(items)
        .filter(([, value]) => value != null && value !== false && value !== "")
        .map(([term, value]) => ({ term, value }));
