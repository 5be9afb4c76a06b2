import Link from "next/link";
import { Brand } from "./brand.tsx";
import { cn } from "./ui/cn.ts";
import { ThemeSwitch } from "./ui/theme-switch.tsx";

/** `isWide` links are hidden on narrow screens; the footer always has them. */
const LINKS = [
  { href: "/explore", label: "Explore", isWide: false },
  { href: "/docs/api", label: "API reference", isWide: true },
  { href: "/playground", label: "Playground", isWide: true },
  { href: "/sign-in", label: "Sign in", isWide: false },
];

/** The header of every public page. */
export function SiteHeader() {
  return (
    <header className="border-line border-b">
      <div className="wrap flex h-14 items-center gap-6">
        <Brand />
        <nav aria-label="Main" className="ml-auto flex items-center gap-5">
          {LINKS.map(({ href, label, isWide }) => (
            <Link
              key={href}
              href={href}
              prefetch={false}
              className={cn(
                "py-3 text-ink-2 text-label no-underline hover:text-ink sm:py-1",
                isWide && "max-sm:hidden",
              )}
            >
              {label}
            </Link>
          ))}
          <ThemeSwitch />
        </nav>
      </div>
    </header>
  );
}
