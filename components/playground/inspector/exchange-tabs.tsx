import { decodeHeader, X402_HEADERS } from "@turnpike/payments/protocol";
import type { Exchange } from "@/lib/playground/exchange.ts";
import { plural } from "@/lib/text/plural.ts";
import { JsonTree } from "../../ui/data/json-tree.tsx";
import { prettyJson } from "../../ui/data/pretty-json.ts";
import { CopyButton } from "../../ui/values/copy-button.tsx";
import { LongText } from "./long-text.tsx";
import { Nothing } from "./nothing.tsx";

const PROTOCOL: string[] = Object.values(X402_HEADERS);

/** The response headers; those of the protocol come first, decoded. */
export function Headers({ exchange }: { exchange: Exchange | null }) {
  if (!exchange?.answer) return <Nothing>No response.</Nothing>;
  const rank = (name: string) => (PROTOCOL.includes(name.toLowerCase()) ? 0 : 1);
  const sorted = exchange.answer.headers.toSorted(([a], [b]) => rank(a) - rank(b));
  return (
    <ul className="grid gap-3">
      {sorted.map(([name, value], index) => {
        const decoded = rank(name) === 0 ? decodeHeader(value) : null;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a header may occur twice with the same value.
          <li key={`${name}${index}`} className="min-w-0">
            <div className="flex items-start gap-2">
              <p className="wrap-anywhere min-w-0 flex-1 font-mono text-small">
                <span className="text-ink-2">{name}: </span>
                {decoded === null ? value : `base64, ${plural(value.length, "character")}`}
              </p>
              <CopyButton text={value} label={`Copy ${name}`} />
            </div>
            {decoded !== null && (
              <div className="mt-1">
                <JsonTree value={decoded} label={`${name}, decoded`} openLevels={3} />
              </div>
            )}
          </li>
        );
      })}
    </ul>
  );
}

export function Body({ exchange }: { exchange: Exchange | null }) {
  const answer = exchange?.answer;
  if (!answer) return <Nothing>No response.</Nothing>;
  if (answer.body === "") return <Nothing>The response has no body.</Nothing>;
  return (
    <div className="grid gap-2">
      {answer.cut && <p className="text-note">{answer.cut.message}</p>}
      <div className="flex items-center justify-between text-ink-2 text-note">
        <span>{plural(answer.bytes, "byte")}, shown as text</span>
        <CopyButton text={answer.body} label="Copy body" />
      </div>
      <LongText text={pretty(answer.body)} label="Body" />
    </div>
  );
}

export function Raw({ exchange }: { exchange: Exchange | null }) {
  if (!exchange) return <Nothing>Nothing was sent.</Nothing>;
  const { request, answer, failure } = exchange;
  const lines = (headers: Exchange["request"]["headers"]) =>
    headers.map(([name, value]) => `${name}: ${value}`).join("\n");
  const sent = `${request.method} ${request.url}\n${lines(request.headers)}\n\n${request.body ?? ""}`;
  const received = answer
    ? `${answer.status}\n${lines(answer.headers)}\n\n${answer.body}`
    : (failure?.message ?? "");
  return <LongText text={`${sent.trim()}\n\n${"-".repeat(24)}\n\n${received}`} label="Raw" />;
}

/** Longer JSON is shown as received, not indented. */
const MAX_INDENTED = 100_000;

const pretty = (text: string): string => (text.length > MAX_INDENTED ? text : prettyJson(text));
