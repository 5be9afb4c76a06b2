import type { ReactNode } from "react";
import { ButtonLink } from "../button-link.tsx";
import { Empty } from "../empty.tsx";

type NothingFitsProps = {
  title: string;
  /** The address of the list without filters. */
  clear: string;
  /** The filters that hide it. */
  filters?: readonly (string | false | undefined)[];
  /** Shown without filters. */
  children?: ReactNode;
};

/** Shown in place of a list when its filters hide everything. */
export function NothingFits({ title, clear, filters = [], children }: NothingFitsProps) {
  const named = filters.filter(Boolean).join(", ");
  return (
    <Empty
      kind="filtered"
      headingLevel={2}
      title={title}
      actions={<ButtonLink href={clear}>Clear filters</ButtonLink>}
    >
      {named ? `Filters: ${named}.` : children}
    </Empty>
  );
}
