"use client";

import { Button } from "../button.tsx";
import { ButtonLink } from "../button-link.tsx";

export type PaginationProps = {
  /** Leads to the newer page; absent on the first. */
  newer?: string | undefined;
  /** Leads to the first page, where the list cannot step back by one. */
  newest?: string | undefined;
  /** Leads to the older page; absent on the last. */
  older?: string | undefined;
  /** What is listed: "requests". */
  label: string;
};

/** Newer and older by cursor: a list that grows at its top has no page numbers. One page has no buttons. */
export function Pagination({ newer, newest, older, label }: PaginationProps) {
  if (!newer && !newest && !older) return null;
  return (
    <nav aria-label={`Pages of ${label}`} className="flex gap-1">
      {newest ? <Step to={newest}>Newest</Step> : <Step to={newer}>Newer</Step>}
      <Step to={older}>Older</Step>
    </nav>
  );
}

function Step({ to, children }: { to: string | undefined; children: string }) {
  if (to !== undefined) {
    return (
      <ButtonLink size="small" href={to} scroll={false}>
        {children}
      </ButtonLink>
    );
  }
  return (
    <Button size="small" aria-disabled>
      {children}
    </Button>
  );
}
