"use client";

import { useEffect, useState } from "react";
import type { Exchange } from "@/lib/playground/exchange.ts";
import type { Run } from "@/lib/playground/run.ts";
import { CodeBlock } from "../../ui/data/code-block.tsx";
import { browserTransport } from "../run/browser-transport.ts";
import { compareCors } from "./compare-cors.ts";

/** The same unpaid request from this browser, beside what the server saw: which header CORS hides, and the lines that mend it. */
export function ComparedCors({ run }: { run: Run }) {
  const [fromBrowser, setFromBrowser] = useState<Exchange | null>(null);
  const fromServer = run.steps[0]?.exchange ?? null;
  useEffect(() => {
    const abort = new AbortController();
    const { method, url, headers, body } = run.input;
    setFromBrowser(null);
    browserTransport(
      { method, url, headers, body },
      { signal: abort.signal, onProgress: () => {} },
    ).then((exchange) => !abort.signal.aborted && setFromBrowser(exchange));
    return () => abort.abort();
  }, [run]);
  if (!fromServer) return null;
  const { sentences, fix } = fromBrowser
    ? compareCors(fromServer, fromBrowser, window.location.origin)
    : { sentences: ["Asking from this browser."], fix: null };
  return (
    <section aria-labelledby="cors" className="grid gap-3 border-line border-t p-4">
      <h3 id="cors" className="text-h3">
        From the server and from this browser
      </h3>
      <ul className="grid gap-1 text-note">
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      {fix && (
        <CodeBlock title="What mends it" label="Headers to send" copies={fix}>
          {fix}
        </CodeBlock>
      )}
    </section>
  );
}
