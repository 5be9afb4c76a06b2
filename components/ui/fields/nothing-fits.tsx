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

/** The title of a list that a search or filters emptied. */
export const noMatches = (what: string, q: string | undefined): string =>
  q ? `No ${what} match “${q}”` : `No matching ${what}`;

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
