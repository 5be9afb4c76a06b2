"use client";

import { Wallet } from "lucide-react";
import Link from "next/link";
import { DropdownMenu } from "radix-ui";
import { useRef, useState } from "react";
import { shortenIdentifier } from "../ui/shorten-identifier.ts";

export type Person = {
  address: string;
  name: string | null;
  method: "wallet" | "passkey" | "demo";
};

const SIGNED_IN_BY = { wallet: "your wallet", passkey: "a passkey", demo: "the demo" } as const;

const ITEM =
  "flex min-h-(--control) cursor-default items-center rounded-control px-2.5 text-label text-ink no-underline outline-none data-[highlighted]:bg-sunken";

/** Who is signed in, and the way out. */
export function AccountMenu({ person, signOut }: { person: Person; signOut: () => Promise<void> }) {
  const { address, name, method } = person;
  const opener = useRef<HTMLButtonElement>(null);
  const [header, setHeader] = useState<HTMLElement | null>(null);
  // It stands in the landmark of its button, so that who reads by landmarks finds its text.
  const place = () => setHeader(opener.current?.closest<HTMLElement>("header") ?? null);
  return (
    <DropdownMenu.Root modal={false} onOpenChange={place}>
      <DropdownMenu.Trigger
        ref={opener}
        title={address}
        aria-label={`Account ${name ?? shortenIdentifier(address)}`}
        className="inline-flex min-h-7 items-center gap-2 rounded-control border border-line bg-surface px-2 font-mono text-small hover:border-line-control max-sm:min-h-9"
      >
        <Wallet aria-hidden="true" className="size-3.5 text-ink-2" strokeWidth={1.5} />
        <span className="max-sm:hidden">{shortenIdentifier(address)}</span>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={header}>
        <DropdownMenu.Content
          align="end"
          sideOffset={6}
          className="z-20 w-64 rounded-card border border-line bg-surface p-1 shadow-dialog"
        >
          <div className="grid gap-0.5 border-line border-b px-2.5 pt-1.5 pb-2.5">
            {name && <p className="truncate font-medium">{name}</p>}
            <p className="font-mono text-small [overflow-wrap:anywhere]">{address}</p>
            <p className="text-ink-2 text-small">Signed in with {SIGNED_IN_BY[method]}</p>
          </div>
          <div className="pt-1">
            <DropdownMenu.Item asChild>
              <Link href="/settings/profile" className={ITEM}>
                Profile
              </Link>
            </DropdownMenu.Item>
            <DropdownMenu.Item asChild>
              <Link href="/settings/api-keys" className={ITEM}>
                API keys
              </Link>
            </DropdownMenu.Item>
            <DropdownMenu.Item className={ITEM} onSelect={() => void signOut()}>
              Sign out
            </DropdownMenu.Item>
          </div>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
