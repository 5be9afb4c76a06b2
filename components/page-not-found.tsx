import Link from "next/link";
import type { ReactNode } from "react";
import { SiteHeader } from "./site-header.tsx";

/** The whole page for a missing page: what was not found, why, and where to go next. */
export function PageNotFound({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <SiteHeader />
      <main
        id="main"
        tabIndex={-1}
        className="wrap grid w-full content-start gap-3 py-16 outline-none"
      >
        <p className="font-mono text-ink-2 text-mono">404</p>
        <h1 className="text-h1">{title}</h1>
        <p className="max-w-[68ch] text-ink-2">{children}</p>
        <p>
          <Link href="/" className="link">
            Go to the home page
          </Link>
        </p>
      </main>
    </>
  );
}
