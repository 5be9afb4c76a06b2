import type { ReactNode } from "react";
import { ButtonLink } from "../button-link.tsx";
import { Empty } from "../empty.tsx";

type NothingFitsProps = {
  title: string;
  clear: string;
  filters?: readonly (string | false | undefined)[];
  /** What was searched, where that was not the whole list: `newest 1,000 plans`. */
  searched?: string | false;
  /** Shown without filters. */
  children?: ReactNode;
};

/** The title of a list that a search or filters emptied. */
export const noMatches = (what: string, q: string | undefined): string =>
  q ? `No ${what} match “${q}”` : `No matching ${what}`;

/** Shown in place of a list when its filters hide everything. */
export function NothingFits(props: NothingFitsProps) {
  const { title, clear, filters = [], searched, children } = props;
  const named = filters.filter(Boolean).join(", ");
  return (
    <Empty
      kind="filtered"
      headingLevel={2}
      title={title}
      actions={<ButtonLink href={clear}>Clear filters</ButtonLink>}
    >
      {named ? `Filters: ${named}.` : children}
      {searched && ` Only the ${searched} were searched.`}
    </Empty>
  );
}
