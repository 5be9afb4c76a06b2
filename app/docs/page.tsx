import Link from "next/link";
import { DocsFrame } from "@/components/docs/docs-frame.tsx";
import { Icon } from "@/components/ui/icon.tsx";
import { readGuides } from "@/lib/server/guides.ts";
import { guideGroups } from "./read-docs.ts";

export const metadata = {
  title: "Documentation",
  description:
    "Sell access to an agent, pay for one, and run Turnpike: guides, the API reference and every error code.",
  alternates: { canonical: "/docs" },
};

const REFERENCE = {
  "/docs/api":
    "Every operation with its fields, examples in three languages, and a form to try it.",
  "/docs/errors": "What each code means, and what to do about it.",
};

export default function DocsPage() {
  const groups = guideGroups();
  const summaries = new Map([
    ...Object.entries(REFERENCE),
    ...readGuides().map(({ slug, summary }) => [`/docs/${slug}`, summary] as const),
  ]);
  const sections = groups.map(({ title, links }) => ({
    title,
    pages: links.map(({ href, label }) => ({ href, title: label, summary: summaries.get(href) })),
  }));
  return (
    <DocsFrame groups={groups} path="/docs">
      <header className="mb-8 grid gap-2">
        <h1 tabIndex={-1} data-page-heading className="text-display outline-none">
          Documentation
        </h1>
        <p className="max-w-[60ch] text-[1.0625rem]/[1.625rem] text-ink-2">
          Put a price on an agent, or pay for one. Everything here runs in the sandbox with test
          money.
        </p>
      </header>
      <div className="grid gap-10">
        {sections.map(({ title, pages }) => (
          <section key={title} aria-label={title}>
            <h2 className="mb-3 text-h2">{title}</h2>
            <ul className="grid gap-3 sm:grid-cols-2 2xl:grid-cols-3">
              {pages.map((page) => (
                <li key={page.href} className="grid">
                  <Link
                    href={page.href}
                    prefetch={false}
                    className="group grid content-start gap-1 rounded-card border border-line bg-surface px-4 py-3.5 text-ink no-underline hover:border-line-control"
                  >
                    <span className="flex items-center gap-2 text-h3">
                      {page.title}
                      <Icon name="right" className="ms-auto size-3.5 text-ink-2" />
                    </span>
                    <span className="text-ink-2 text-note">{page.summary}</span>
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </DocsFrame>
  );
}
