"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";
import { SECTIONS } from "./sections.ts";
import { useNameOf } from "./visited.tsx";

type Crumb = { href: string; label: string };

const WORDS: Record<string, string> = {
  new: "New",
  "new-version": "New version",
  p: "Plans",
  profile: "Profile",
  endpoints: "Endpoints",
  plans: "Plans",
  checks: "Checks",
  code: "Code",
  settings: "Settings",
  errors: "Errors",
  receipts: "Receipt",
  reconcile: "Reconcile",
  inspect: "Inspect",
  withdraw: "Withdraw USDC",
  payouts: "Payouts",
};
/** Path segments without a page. */
const NO_PAGE = ["/settings", "/p", "/receipts", "/checkout"];

/** The parents of a path, as links. Ids are shortened until the page tells its name. */
function crumbsOf(path: string): Crumb[] {
  const parts = path.split("/").filter(Boolean);
  return parts
    .map((part, index) => {
      const href = `/${parts.slice(0, index + 1).join("/")}`;
      const section = SECTIONS.find((section) => section.href === href);
      return {
        href,
        label: section?.label ?? WORDS[part] ?? shortenIdentifier(decodeURIComponent(part)),
      };
    })
    .filter(({ href }) => !NO_PAGE.includes(href));
}

function CrumbName({ href, label }: Crumb) {
  return useNameOf(href) ?? label;
}

export function Breadcrumb() {
  const crumbs = crumbsOf(usePathname());
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
            className={`flex min-w-0 items-center gap-2 whitespace-nowrap ${index < last ? "max-sm:hidden" : ""}`}
          >
            {index > 0 && (
              <span aria-hidden="true" className="max-sm:hidden">
                /
              </span>
            )}
            {index === last ? (
              <span aria-current="page" className="truncate text-ink">
                <CrumbName href={href} label={label} />
              </span>
            ) : (
              <Link
                href={href}
                className="py-1 text-ink-2 no-underline hover:text-ink hover:underline"
              >
                <CrumbName href={href} label={label} />
              </Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
