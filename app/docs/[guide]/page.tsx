import { notFound } from "next/navigation";
import { CopyMarkdown } from "@/components/docs/copy-markdown.tsx";
import { DocsFrame, DocsHead, DocsNeighbors } from "@/components/docs/docs-frame.tsx";
import { partsOf } from "@/components/docs/headings.ts";
import { Markdown } from "@/components/docs/markdown.tsx";
import type { Routed } from "@/components/search-params.ts";
import { findGuide } from "@/lib/server/guides.ts";
import { getRunning } from "@/lib/server/running.ts";
import { guideGroups } from "../read-docs.ts";

async function getGuide({ params }: Routed<"guide">) {
  const [{ guide: slug }, { env }] = await Promise.all([params, getRunning()]);
  return findGuide(slug, env.origin) ?? notFound();
}

export async function generateMetadata(props: Routed<"guide">) {
  const { slug, title, summary } = await getGuide(props);
  return { title, description: summary, alternates: { canonical: `/docs/${slug}` } };
}

export default async function GuidePage(props: Routed<"guide">) {
  const { slug, title, summary, section, text } = await getGuide(props);
  const groups = guideGroups();
  const path = `/docs/${slug}`;
  return (
    <DocsFrame
      groups={groups}
      path={path}
      aside={
        <>
          <nav aria-label="On this page">
            <p className="mb-2 text-label">On this page</p>
            <ul className="border-line border-s">
              {partsOf(text).map((part) => (
                <li key={part.anchor}>
                  <a
                    href={`#${part.anchor}`}
                    className="block py-1 ps-3.5 text-ink-2 text-note no-underline hover:text-ink"
                  >
                    {part.title}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
          <CopyMarkdown text={`# ${title}\n\n${summary}\n\n${text.trim()}\n`} />
        </>
      }
    >
      <article className="max-w-190">
        <DocsHead
          trail={[
            { href: "/docs", label: "Docs" },
            { href: "/docs", label: section },
          ]}
          title={title}
        >
          {summary}
        </DocsHead>
        <Markdown text={text} />
        <DocsNeighbors groups={groups} path={path} />
      </article>
    </DocsFrame>
  );
}
