import type { ReactNode } from "react";
import { ButtonLink } from "../button-link.tsx";
import { Empty } from "../empty.tsx";

type NothingFitsProps = {
  title: string;
  /** The list without its filters. */
  clear: string;
  /** Which filters hide it. */
  children?: ReactNode;
};

/** Stands where a list would be that has things, none of which fit its filters. */
export function NothingFits({ title, clear, children }: NothingFitsProps) {
  return (
    <Empty
      kind="filtered"
      headingLevel={2}
      title={title}
      actions={<ButtonLink href={clear}>Clear filters</ButtonLink>}
    >
      {children}
    </Empty>
  );
}
