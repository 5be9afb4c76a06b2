import Link from "next/link";
import type { ReactNode } from "react";
import { cn } from "../ui/cn.ts";
import { Icon } from "../ui/icon.tsx";
import { DocsSearch } from "./docs-search.tsx";

type DocsLink = {
  href: string;
  label: string;
  /** A method, shown at the end of the line. */
  tag?: string;
};
export type DocsGroup = { title: string; links: DocsLink[] };

type DocsFrameProps = {
  groups: DocsGroup[];
  path: string;
  /** Beside the page on wide screens. */
  aside?: ReactNode;
  /** Whether the aside is as wide as code needs. */
  isAsideWide?: boolean;
  children: ReactNode;
};

/** A page of the documentation: the sidebar with search, the page, and its aside. */
export function DocsFrame({ groups, path, aside, isAsideWide, children }: DocsFrameProps) {
  return (
    <main
      id="main"
      tabIndex={-1}
      className={cn(
        "wrap grid w-full grid-cols-[minmax(0,1fr)] gap-x-12 gap-y-6 pt-6 pb-16 outline-none lg:grid-cols-[216px_minmax(0,1fr)] lg:pt-8",
        aside && !isAsideWide && "xl:grid-cols-[216px_minmax(0,1fr)_200px]",
        isAsideWide && "xl:grid-cols-[216px_minmax(0,1fr)_minmax(0,440px)] xl:gap-x-10",
      )}
    >
      <div className="lg:sticky lg:top-6 lg:max-h-[calc(100dvh-48px)] lg:self-start lg:overflow-y-auto lg:pb-4">
        <DocsSearch />
        <details className="mt-3 lg:hidden">
          <summary className="flex cursor-pointer items-center gap-2 py-2 text-label">
            <Icon name="menu" className="size-4" />
            All pages
          </summary>
          <Nav groups={groups} path={path} label="All pages" />
        </details>
        <div className="max-lg:hidden">
          <Nav groups={groups} path={path} label="Documentation" />
        </div>
      </div>
      <div className="min-w-0">{children}</div>
      {aside && (
        <div
          className={cn(
            "min-w-0",
            isAsideWide
              ? "lg:max-xl:col-start-2"
              : "max-xl:hidden xl:sticky xl:top-6 xl:max-h-[calc(100dvh-48px)] xl:self-start xl:overflow-y-auto",
          )}
        >
          {aside}
        </div>
      )}
    </main>
  );
}

/** More groups than this are folded, except the page's own. */
const MOST_OPEN = 8;

function Nav({ groups, path, label }: { groups: DocsGroup[]; path: string; label: string }) {
  const isFolded = groups.length > MOST_OPEN;
  return (
    <nav aria-label={label} className={cn("mt-5 grid", isFolded ? "gap-1" : "gap-5")}>
      {groups.map(({ title, links }) =>
        isFolded ? (
          <details key={title} open={links.some(({ href }) => href === path)}>
            <summary className="cursor-pointer rounded-control px-2.5 py-1.5 text-label marker:text-ink-2 hover:bg-sunken">
              {title}
            </summary>
            <NavLinks links={links} path={path} />
          </details>
        ) : (
          <div key={title}>
            <p className="mb-1 px-2.5 text-label">{title}</p>
            <NavLinks links={links} path={path} />
          </div>
        ),
      )}
    </nav>
  );
}

const NavLinks = ({ links, path }: { links: DocsLink[]; path: string }) => (
  <ul>
    {links.map(({ href, label, tag }) => (
      <li key={href}>
        <Link
          href={href}
          prefetch={false}
          aria-current={href === path ? "page" : undefined}
          className="flex items-baseline gap-2 border-transparent border-s-2 px-2 py-1.5 text-ink-2 text-note no-underline hover:text-ink aria-[current]:rounded-e-control aria-[current]:border-s-accent aria-[current]:bg-sunken aria-[current]:font-medium aria-[current]:text-ink"
        >
          <span className="min-w-0 wrap-anywhere">{label}</span>
          {tag && <span className="ms-auto font-mono text-tick">{tag}</span>}
        </Link>
      </li>
    ))}
  </ul>
);

type DocsHeadProps = { trail: DocsLink[]; title: ReactNode; children?: ReactNode };

export function DocsHead({ trail, title, children }: DocsHeadProps) {
  return (
    <header className="mb-6 grid gap-2">
      <nav
        aria-label="Breadcrumb"
        className="flex flex-wrap items-center gap-2 text-ink-2 text-note"
      >
        {trail.map(({ href, label }) => (
          <span key={label} className="flex items-center gap-2">
            <Link href={href} prefetch={false} className="link-quiet no-underline">
              {label}
            </Link>
            <span aria-hidden="true">/</span>
          </span>
        ))}
        <span className="text-ink">{title}</span>
      </nav>
      <h1 tabIndex={-1} data-page-heading className="wrap-anywhere text-display outline-none">
        {title}
      </h1>
      {children && (
        <p className="max-w-[60ch] text-[1.0625rem]/[1.625rem] text-ink-2">{children}</p>
      )}
    </header>
  );
}

/** The pages before and after this one. */
export function DocsNeighbors({ groups, path }: { groups: DocsGroup[]; path: string }) {
  const links = groups.flatMap((group) => group.links);
  const place = links.findIndex(({ href }) => href === path);
  const [before, after] = [links[place - 1], links[place + 1]];
  return (
    <nav aria-label="Previous and next" className="mt-12 grid gap-4 sm:grid-cols-2">
      {before ? <Neighbor {...before} word="Previous" /> : <span className="max-sm:hidden" />}
      {after && <Neighbor {...after} word="Next" />}
    </nav>
  );
}

function Neighbor({ href, label, word }: DocsLink & { word: "Previous" | "Next" }) {
  const isNext = word === "Next";
  return (
    <Link
      href={href}
      prefetch={false}
      className={cn(
        "grid gap-1 rounded-card border border-line bg-surface px-4 py-3 text-ink no-underline hover:border-line-control",
        isNext && "justify-items-end text-end",
      )}
    >
      <span
        className={cn(
          "flex items-center gap-1.5 text-ink-2 text-small",
          isNext && "flex-row-reverse",
        )}
      >
        <Icon name={isNext ? "right" : "left"} className="size-3.5" />
        {word}
      </span>
      <span className="wrap-anywhere text-label">{label}</span>
    </Link>
  );
}
