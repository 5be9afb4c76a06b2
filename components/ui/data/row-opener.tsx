import Link from "next/link";
import type { MouseEvent, ReactNode } from "react";
import { LiveButton } from "../live-button.tsx";

const LOOK =
  "text-ink no-underline after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-accent focus-visible:after:-outline-offset-2";

type RowOpenerProps = {
  /** Where the row leads, also in a new tab. */
  href: string | undefined;
  /** Opens the row in place; with an `href`, a plain click does that instead of leaving the page. */
  onOpen: (() => void) | undefined;
  children: ReactNode;
};

/** The link or button of a row, as large as the row. */
export function RowOpener({ href, onOpen, children }: RowOpenerProps) {
  if (href === undefined) {
    return (
      <LiveButton data-row-opener onClick={onOpen} className={`text-start ${LOOK}`}>
        {children}
      </LiveButton>
    );
  }
  if (!onOpen) {
    return (
      <Link href={href} data-row-opener className={LOOK}>
        {children}
      </Link>
    );
  }
  const open = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    onOpen();
  };
  return (
    <a href={href} data-row-opener className={LOOK} onClick={open}>
      {children}
    </a>
  );
}
