"use client";

import { useEffect, useState } from "react";
import type { Exchange } from "@/lib/playground/exchange.ts";
import type { Run } from "@/lib/playground/run.ts";
import { CodeBlock } from "../../ui/data/code-block.tsx";
import { browserTransport } from "../run/browser-transport.ts";
import { compareCors } from "./compare-cors.ts";

/** Repeats the request without payment from this browser and compares: what CORS hides, and the headers that fix it. */
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
    : { sentences: ["Sending the request from this browser…"], fix: null };
  return (
    <section aria-labelledby="cors" className="grid gap-3 border-line border-t p-4">
      <h3 id="cors" className="text-h3">
        Server and browser compared
      </h3>
      <ul className="grid gap-1 text-note">
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      {fix && (
        <CodeBlock title="Fix" label="Response headers" copies={fix}>
          {fix}
        </CodeBlock>
      )}
    </section>
  );
}
