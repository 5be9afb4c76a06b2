import { notFound } from "next/navigation";
import { readSession } from "@/app/_session/session.ts";
import { createApiKey } from "@/app/(dashboard)/settings/api-keys/actions.ts";
import { DocsFrame, DocsHead, DocsNeighbors } from "@/components/docs/docs-frame.tsx";
import { exampleCode, pretty } from "@/components/docs/example-code.ts";
import { OperationArticle, OperationFacts } from "@/components/docs/operation-article.tsx";
import { recordedExamples } from "@/components/docs/recorded-examples.ts";
import { TryIt } from "@/components/docs/try-it.tsx";
import type { Routed } from "@/components/search-params.ts";
import { CodeBlock } from "@/components/ui/data/code-block.tsx";
import { CodeTabs } from "@/components/ui/data/code-tabs.tsx";
import { HttpStatus } from "@/components/ui/values/http-status.tsx";
import { findSandbox } from "../../../demo/find-sandbox.ts";
import { operationGroups, readReference } from "../../read-docs.ts";

async function findOperation({ params }: Routed<"operation">) {
  const { operation: name } = await params;
  const groups = await readReference();
  for (const { title, entries } of groups) {
    const entry = entries.find((each) => each.name === name);
    if (entry) return { groups, section: title, entry };
  }
  notFound();
}

export async function generateMetadata(props: Routed<"operation">) {
  const { name, summary, method, path } = (await findOperation(props)).entry;
  return {
    title: `${name}: API reference`,
    description: `${summary}. ${method} /api/v1${path}: fields, examples and error codes.`,
    alternates: { canonical: `/docs/api/${name}` },
  };
}

export default async function OperationPage(props: Routed<"operation">) {
  const { groups: sections, section, entry } = await findOperation(props);
  const groups = operationGroups(sections);
  const path = `/docs/api/${entry.name}`;
  const example = recordedExamples[entry.name];
  const answer = pretty(example?.answer ?? {});
  const isSandbox = (await findSandbox()) !== undefined;
  const isSignedIn = (await readSession()) !== null;
  return (
    <DocsFrame
      groups={groups}
      path={path}
      isAsideWide
      aside={
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4 xl:sticky xl:top-6">
          {example && <CodeTabs label="Example" samples={exampleCode(entry, example)} />}
          <CodeBlock
            title={
              <>
                Recorded response <HttpStatus status={200} />
              </>
            }
            copies={answer}
            label="Recorded response"
          >
            <code>{answer}</code>
          </CodeBlock>
          <p className="text-ink-2 text-small">
            Recorded from the service. IDs, keys and times are replaced by fixed ones, and lists are
            cut to one entry.
          </p>
          {example && isSandbox && (
            <TryIt
              method={entry.method}
              request={example.request}
              needsKey={entry.right !== undefined}
              {...(isSignedIn && { createApiKey })}
            />
          )}
        </div>
      }
    >
      <article>
        <DocsHead
          trail={[
            { href: "/docs/api", label: "API reference" },
            { href: `/docs/api#${section.toLowerCase().replace(/[^a-z]+/g, "-")}`, label: section },
          ]}
          title={entry.name}
        >
          {entry.summary}.
        </DocsHead>
        <OperationFacts entry={entry} />
        <OperationArticle entry={entry} />
        <DocsNeighbors groups={groups} path={path} />
      </article>
    </DocsFrame>
  );
}
