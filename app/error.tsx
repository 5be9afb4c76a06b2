"use client";

import { Button } from "@/components/ui/button.tsx";

type ErrorPageProps = { error: Error & { digest?: string }; reset: () => void };

export default function ErrorPage({ error, reset }: ErrorPageProps) {
  return (
    <>
      {/* A plain link, because a full page load is the best recovery after an error. */}
      <header className="border-line border-b">
        <p className="wrap flex h-14 items-center">
          <a href="/" className="text-h3 text-ink no-underline">
            Turnpike<span className="sr-only">, home</span>
          </a>
        </p>
      </header>
      <main
        id="main"
        tabIndex={-1}
        className="wrap grid w-full content-start gap-3 py-16 outline-none"
      >
        <h1 className="text-h1">This page could not be loaded</h1>
        <p className="max-w-[68ch] text-ink-2">
          Nothing was charged. Try again. If it keeps failing, contact support with the ID below.
        </p>
        {error.digest && (
          <p className="text-ink-2">
            Error ID <span className="font-mono text-mono">{error.digest}</span>
          </p>
        )}
        <p>
          <Button onClick={reset}>Try again</Button>
        </p>
      </main>
    </>
  );
}
