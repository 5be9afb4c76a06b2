"use client";

import { SiteHeader } from "@/components/site-header.tsx";
import { Button } from "@/components/ui/button.tsx";

type ErrorPageProps = { error: Error & { digest?: string }; reset: () => void };

export default function ErrorPage({ error, reset }: ErrorPageProps) {
  return (
    <>
      <SiteHeader />
      <main
        id="main"
        tabIndex={-1}
        className="wrap grid w-full content-start gap-3 py-16 outline-none"
      >
        <h1 className="text-h1">This page could not be shown.</h1>
        <p className="max-w-[68ch] text-ink-2">
          Showing a page never charges anything. Try it again; if it stays so, report the id below.
        </p>
        {error.digest && <p className="font-mono text-ink-2 text-mono">{error.digest}</p>}
        <p>
          <Button onClick={reset}>Try again</Button>
        </p>
      </main>
    </>
  );
}
