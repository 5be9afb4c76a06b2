"use client";

import { usePathname } from "next/navigation";
import { NearLink } from "../ui/links/near-link.tsx";
import { type Crumb, crumbsOf } from "./crumbs.ts";
import { useNameOf } from "./visited.tsx";

function CrumbName({ href, label }: Crumb) {
  return useNameOf(href) ?? label;
}

/** `names` are the names of pages as the server knows them; the open page tells newer ones. */
export function Breadcrumb({ names = {} }: { names?: Readonly<Record<string, string>> }) {
  const crumbs = crumbsOf(usePathname()).map(({ href, label }) => ({
    href,
    label: names[href] ?? label,
  }));
  const last = crumbs.length - 1;
  return (
    <nav
      aria-label="Breadcrumb"
      className="min-w-0 max-sm:hidden sm:border-line sm:border-s sm:ps-3"
    >
      <ol className="flex items-center gap-2 text-ink-2 text-label">
        {crumbs.map(({ href, label }, index) => (
          <li
            key={href}
            className={`flex items-center gap-2 whitespace-nowrap ${index > 0 || last === 0 ? "min-w-0" : "shrink-0"} ${index < last ? "max-md:hidden" : ""}`}
          >
            {index > 0 && (
              <span aria-hidden="true" className="max-md:hidden">
                /
              </span>
            )}
            {index === last ? (
              <span aria-current="page" className="truncate text-ink">
                <bdi>
                  <CrumbName href={href} label={label} />
                </bdi>
              </span>
            ) : (
              <NearLink
                href={href}
                className="truncate py-1 text-ink-2 no-underline hover:text-ink hover:underline"
              >
                <bdi>
                  <CrumbName href={href} label={label} />
                </bdi>
              </NearLink>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
