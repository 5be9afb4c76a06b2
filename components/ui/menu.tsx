"use client";

import Link from "next/link";
import * as Radix from "radix-ui/dropdown-menu";
import { type ReactNode, useRef, useState } from "react";
import { cn } from "./cn.ts";
import { Icon, type IconName } from "./icon.tsx";
import { MENU, MENU_ITEM } from "./menu-look.ts";

export type MenuItem = {
  label: ReactNode;
  icon?: IconName;
  /** Leads there; else `onSelect` runs. */
  href?: string;
  onSelect?: () => void;
  isDanger?: boolean;
  isDisabled?: boolean;
};

export type MenuProps = {
  /** The button that opens it. */
  trigger: ReactNode;
  /** Groups of items, with a hairline between them. */
  groups: MenuItem[][];
  align?: "start" | "end";
};

const LANDMARKS = "[role=dialog], main, nav, header";

/** Actions behind a button. */
export function Menu({ trigger, groups, align = "end" }: MenuProps) {
  const opener = useRef<HTMLButtonElement>(null);
  const [container, setContainer] = useState<HTMLElement | null>(null);
  // It stands in the landmark or dialog of its button, and hides nothing from screen readers.
  const place = () => setContainer(opener.current?.closest<HTMLElement>(LANDMARKS) ?? null);
  return (
    <Radix.Root modal={false} onOpenChange={place}>
      <Radix.Trigger asChild ref={opener}>
        {trigger}
      </Radix.Trigger>
      <Radix.Portal container={container}>
        <Radix.Content align={align} sideOffset={4} className={cn(MENU, "min-w-44")}>
          {groups.map((items, group) => (
            <Radix.Group
              // biome-ignore lint/suspicious/noArrayIndexKey: groups keep their places.
              key={group}
              className="not-first:mt-1 not-first:border-line not-first:border-t not-first:pt-1"
            >
              {items.map((item, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: items keep their places.
                <Item key={index} {...item} />
              ))}
            </Radix.Group>
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function Item({ label, icon, href, onSelect, isDanger, isDisabled }: MenuItem) {
  const content = (
    <>
      {icon && <Icon name={icon} className={cn("size-4 text-ink-2", isDanger && "text-refused")} />}
      {label}
    </>
  );
  if (href) {
    return (
      <Radix.Item asChild disabled={isDisabled}>
        <Link href={href} className={cn(MENU_ITEM, "text-ink")}>
          {content}
        </Link>
      </Radix.Item>
    );
  }
  return (
    <Radix.Item disabled={isDisabled} onSelect={onSelect} className={MENU_ITEM}>
      {content}
    </Radix.Item>
  );
}
