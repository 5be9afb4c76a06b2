"use client";

import { usePathname } from "next/navigation";
import { useEffect } from "react";
import { liveEvents } from "../data/live-events.ts";
import { showAccount } from "../data/shown-account.ts";
import type { ActionAnswer } from "../forms/action-answer.ts";
import { Icon } from "../ui/icon.tsx";
import { LiveButton } from "../ui/live-button.tsx";
import { Menu } from "../ui/overlays/menu.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";
import type { SignOut } from "./sign-out.ts";

export type Person = {
  address: string;
  name: string | null;
  method: "wallet" | "passkey" | "demo";
};

const SIGNED_IN_BY = {
  wallet: "your wallet",
  passkey: "a passkey",
  demo: "the demo account",
} as const;

/** How close the rows of tables are, kept in a cookie so that the server renders it. */
type TableDensity = {
  isCompact: boolean;
  choose: (isCompact: boolean) => Promise<ActionAnswer<void>>;
};

export type AccountMenuProps = {
  person: Person;
  signOut: SignOut;
  /** Left out where there are no tables. */
  density?: TableDensity;
};

/**
 * The signed-in account, with links to its settings, the density of tables and sign-out. It is on every page that shows the account,
 * which is therefore what the page acts for.
 */
export function AccountMenu(props: AccountMenuProps) {
  const { person, density } = props;
  const { address, name, method } = person;
  const path = usePathname();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once signed in again, in another tab too, the next page reads on.
  useEffect(() => {
    showAccount(address);
    liveEvents.showTo(address);
    return () => {
      showAccount(undefined);
      liveEvents.showTo(undefined);
    };
  }, [address, path]);
  return (
    <Menu
      trigger={
        <LiveButton
          title={address}
          aria-label={`Account ${name ?? shortenIdentifier(address)}`}
          className="inline-flex min-h-7 items-center gap-2 rounded-control border border-line bg-surface px-2 font-mono text-small hover:border-line-control max-sm:min-h-9"
        >
          <Icon name="wallet" className="size-3.5 text-ink-2" />
          <span className="max-sm:hidden">{shortenIdentifier(address)}</span>
        </LiveButton>
      }
      head={
        <div className="grid gap-0.5">
          {name && <p className="truncate font-medium">{name}</p>}
          <p className="font-mono text-small [overflow-wrap:anywhere]">{address}</p>
          <p className="text-ink-2 text-small">Signed in with {SIGNED_IN_BY[method]}</p>
        </div>
      }
      groups={[
        [
          { label: "Profile", href: "/settings/profile" },
          { label: "Budgets", href: "/settings/budgets" },
          { label: "API keys", href: "/settings/api-keys" },
          { label: "Audit log", href: "/settings/audit" },
        ],
        density
          ? [
              {
                label: density.isCompact ? "Comfortable tables" : "Compact tables",
                onSelect: () => void density.choose(!density.isCompact),
              },
            ]
          : [],
        [{ label: "Sign out", onSelect: () => void leave(address, props.signOut) }],
      ].filter((group) => group.length > 0)}
    />
  );
}

/** Fetches what signs out, which no page needs before. */
async function leave(address: string, signOut: SignOut): Promise<void> {
  const fetched = await import("./sign-out.ts").catch(() => null);
  if (fetched) return fetched.leaveAccount(address, signOut);
  toast("You are still signed in. Check your connection and try again.", { tone: "bad" });
}
