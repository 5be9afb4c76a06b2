import type { ReactNode } from "react";
import { ButtonLink } from "../button-link.tsx";
import { Empty } from "../empty.tsx";

type NothingFitsProps = {
  title: string;
  /** The address of the list without filters. */
  clear: string;
  /** Which filters hide it. */
  children?: ReactNode;
};

/** Shown in place of a list when its filters hide everything. */
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
