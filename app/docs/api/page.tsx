import { operations } from "@turnpike/payments/protocol";
import type { Metadata } from "next";
import { ErrorTable } from "@/components/docs/error-table.tsx";
import { OperationArticle } from "@/components/docs/operation-article.tsx";
import { type OperationEntry, readOperations } from "@/components/docs/read-operations.ts";
import { SearchItem, SearchScope } from "@/components/docs/search-scope.tsx";
import { findSandbox } from "../../demo/find-sandbox.ts";
import { ViewerFrame } from "../../explore/viewer-frame.tsx";

export const metadata: Metadata = {
  title: "API reference",
  description: "Every operation of Turnpike’s HTTP API: method, path, fields and error codes.",
};

const textOf = ({ name, method, path, summary }: OperationEntry) =>
  `${name} ${method} ${path} ${summary}`;

const slugOf = (title: string) => title.toLowerCase().replace(/[^a-z]+/g, "-");

/** The published operations, and in a sandbox its own. */
async function readGroups(isSandbox: boolean) {
  if (!isSandbox) return readOperations(operations);
  const { sandbox } = await import("@/lib/sandbox/operations.ts");
  return readOperations({ ...operations, ...sandbox });
}

export default async function ApiReferencePage() {
  const isSandbox = (await findSandbox()) !== undefined;
  const groups = await readGroups(isSandbox);
  return (
    <ViewerFrame>
      <h1 className="text-h1">API reference</h1>
      <p className="mt-1 mb-6 max-w-[68ch] text-ink-2">
        JSON requests and responses, under <code>/api/v1</code>. Send your key as{" "}
        <code>Authorization: Bearer &lt;apiKey&gt;</code>. Large whole numbers are decimal strings.
        Also available as OpenAPI:{" "}
        <a href="/api/v1/openapi.json" className="link">
          openapi.json
        </a>
        .
      </p>
      <nav aria-label="Sections" className="mb-6 flex flex-wrap gap-x-5 gap-y-2 text-label">
        {[...groups.map(({ title }) => title), "Errors"].map((title) => (
          <a key={title} href={`#${slugOf(title)}`} className="link-quiet">
            {title}
          </a>
        ))}
      </nav>
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
                  <OperationArticle entry={entry} />
                </SearchItem>
              ))}
            </section>
          </SearchItem>
        ))}
      </SearchScope>
      <ErrorTable />
    </ViewerFrame>
  );
}
