import Link from "next/link";
import { Brand } from "./brand.tsx";
import { AccountMenu, type Person } from "./shell/account-menu.tsx";
import type { SignOut } from "./shell/sign-out.ts";
import { cn } from "./ui/cn.ts";
import { ThemeSwitch } from "./ui/theme-switch.tsx";

/** `isWide` links are hidden on narrow screens; the footer or the dashboard always has them. */
const linksFor = (isSignedIn: boolean) => [
  { href: "/explore", label: "Explore", isWide: isSignedIn },
  { href: "/docs", label: "Docs", isWide: true },
  { href: "/docs/api", label: "API", isWide: true },
  { href: "/playground", label: "Playground", isWide: true },
  isSignedIn
    ? { href: "/home", label: "Dashboard", isWide: false }
    : { href: "/sign-in", label: "Sign in", isWide: false },
];

type SiteHeaderProps = {
  /** Who is signed in; without, the header offers to sign in. */
  account?: { person: Person; signOut: SignOut } | undefined;
};

/** The header of public pages outside the dashboard's frame. */
export function SiteHeader({ account }: SiteHeaderProps) {
  return (
    <header className="border-line border-b">
      <div className="wrap flex h-14 items-center gap-x-6 max-[19rem]:h-auto max-[19rem]:flex-wrap max-[19rem]:py-1">
        <Brand />
        <nav
          aria-label="Main"
          className="ml-auto flex items-center gap-x-5 max-[19rem]:ml-0 max-[19rem]:flex-wrap"
        >
          {linksFor(account !== undefined).map(({ href, label, isWide }) => (
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
        {account && <AccountMenu {...account} />}
      </div>
    </header>
  );
}
