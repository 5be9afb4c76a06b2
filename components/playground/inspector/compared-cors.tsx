import { X402_HEADERS } from "@turnpike/payments/protocol";
import { useEffect, useState } from "react";
import { type Exchange, headerOf } from "@/lib/playground/exchange.ts";
import type { Run } from "@/lib/playground/run.ts";
import { requestOf } from "@/lib/playground/steps/request-without-payment.ts";
import { CodeBlock } from "../../ui/data/code-block.tsx";
import { browserTransport } from "../run/browser-transport.ts";
import { corsLines } from "../run/cors-lines.ts";

/** Repeats the request without payment from this browser and compares: what CORS hides, and the headers that fix it. */
export function ComparedCors({ run }: { run: Run }) {
  const [fromBrowser, setFromBrowser] = useState<Exchange | null>(null);
  const fromServer = run.steps[0]?.exchange ?? null;
  useEffect(() => {
    const abort = new AbortController();
    setFromBrowser(null);
    const options = { signal: abort.signal, onProgress: () => {} };
    browserTransport(requestOf(run.input, null), options).then(
      (exchange) => !abort.signal.aborted && setFromBrowser(exchange),
    );
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

const NEEDED = [X402_HEADERS.PAYMENT_REQUIRED, X402_HEADERS.PAYMENT_RESPONSE];

/** What CORS hides from a page on `origin`, and the response headers that would expose it. */
function compareCors(
  fromServer: Exchange,
  fromBrowser: Exchange,
  origin: string,
): { sentences: string[]; fix: string | null } {
  const fix = corsLines(fromServer.request, origin);
  const server = fromServer.answer;
  if (!server) {
    return { sentences: ["There is no response to compare."], fix: null };
  }
  if (!fromBrowser.answer) {
    const sentences = [
      `The server received ${server.status}; this page received no response.`,
      "The agent does not allow this site’s origin, or its preflight response does not allow payment-signature.",
    ];
    return { sentences, fix };
  }
  const hidden = NEEDED.filter(
    (name) => headerOf(server, name) !== null && headerOf(fromBrowser.answer, name) === null,
  );
  if (hidden.length > 0) {
    const sentences = [
      `Both received ${server.status}, but this page may not read ${hidden.join(" and ")}.`,
      "The agent does not list it in Access-Control-Expose-Headers, so a browser client cannot pay.",
    ];
    return { sentences, fix };
  }
  return {
    sentences: [
      `Both received ${server.status} and every payment header. A browser client can pay.`,
    ],
    fix: null,
  };
}
