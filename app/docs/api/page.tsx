import type { Metadata } from "next";
import Link from "next/link";
import { DocsFrame, DocsHead } from "@/components/docs/docs-frame.tsx";
import type { OperationEntry } from "@/components/docs/read-operations.ts";
import { SearchItem, SearchScope } from "@/components/docs/search-scope.tsx";
import { operationGroups, readReference } from "../read-docs.ts";

export const metadata: Metadata = {
  title: "API reference",
  description:
    "Every operation of Turnpike’s HTTP API: fields, examples in three languages, and error codes.",
  alternates: { canonical: "/docs/api" },
};

const textOf = ({ name, method, path, summary }: OperationEntry) =>
  `${name} ${method} ${path} ${summary}`;

const slugOf = (title: string) => title.toLowerCase().replace(/[^a-z]+/g, "-");

export default async function ApiReferencePage() {
  const groups = await readReference();
  return (
    <DocsFrame groups={operationGroups(groups)} path="/docs/api">
      <DocsHead trail={[{ href: "/docs", label: "Docs" }]} title="API reference">
        JSON requests and responses, under <code className="text-[0.9375rem]">/api/v1</code>.
      </DocsHead>
      <div className="prose mb-6">
        <p>
          Send your key as <code>Authorization: Bearer &lt;apiKey&gt;</code>. Large integers are
          sent as decimal strings. Machine-readable version:{" "}
          <a href="/api/v1/openapi.json" className="link">
            openapi.json
          </a>
          . Events are also available as a stream, at{" "}
          <Link href="/docs/webhooks#read-a-list-or-a-stream" prefetch={false} className="link">
            GET /events/stream
          </Link>
          . The wire format is described in{" "}
          <Link href="/docs/protocol" prefetch={false} className="link">
            Protocol
          </Link>
          .
        </p>
      </div>
      <SearchScope
        label="Find an operation"
        placeholder="settle, plan, DELETE"
        noun="operations"
        texts={groups.flatMap(({ entries }) => entries.map(textOf))}
      >
        {groups.map(({ title, entries }) => (
          <SearchItem key={title} texts={entries.map(textOf)}>
            <section aria-label={title} className="mt-8">
              <h2 id={slugOf(title)} className="scroll-mt-6 pb-3 text-h2">
                {title}
              </h2>
              {entries.map((entry) => (
                <SearchItem key={entry.name} texts={[textOf(entry)]}>
                  <article
                    id={entry.name}
                    className="grid scroll-mt-6 gap-x-4 border-line border-t py-2.5 sm:grid-cols-[230px_minmax(0,1fr)]"
                  >
                    <h3 className="text-body">
                      <Link
                        href={`/docs/api/${entry.name}`}
                        prefetch={false}
                        className="link wrap-anywhere font-mono text-mono"
                      >
                        {entry.name}
                      </Link>
                    </h3>
                    <div>
                      <p>{entry.summary}.</p>
                      <p className="wrap-anywhere font-mono text-ink-2 text-small">
                        {entry.method} {entry.path}
                      </p>
                    </div>
                  </article>
                </SearchItem>
              ))}
            </section>
          </SearchItem>
        ))}
      </SearchScope>
    </DocsFrame>
  );
}
