import Link from "next/link";
import { Brand } from "./brand.tsx";
import { ThemeSwitch } from "./ui/theme-switch.tsx";

/** The top of every public page. */
export function SiteHeader() {
  return (
    <header className="border-line border-b">
      <div className="wrap flex h-14 items-center gap-6">
        <Brand />
        <nav aria-label="Main" className="ml-auto flex items-center gap-5">
          <Link
            href="/docs/api"
            className="py-3 text-ink-2 text-label no-underline hover:text-ink sm:py-1"
          >
            API reference
          </Link>
          <ThemeSwitch />
        </nav>
      </div>
    </header>
  );
}
