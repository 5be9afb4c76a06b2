import * as Radix from "radix-ui/dropdown-menu";
import { type ComponentProps, type ReactElement, type ReactNode, useRef, useState } from "react";
import { cn } from "../cn.ts";
import { Icon, type IconName } from "../icon.tsx";
import { NearLink } from "../links/near-link.tsx";
import { MENU, MENU_ITEM } from "./menu-look.ts";

export type MenuItem = {
  label: ReactNode;
  icon?: IconName;
  /** Where the item leads; without it `onSelect` runs. */
  href?: string;
  onSelect?: () => void;
  isDisabled?: boolean;
};

export type MenuProps = {
  trigger: ReactElement<ComponentProps<"button">>;
  /** Groups of items, with a hairline between them. */
  groups: MenuItem[][];
  /** Shown above the items. */
  head?: ReactNode;
  align?: "start" | "end";
};

type OpenMenuProps = MenuProps & {
  /** The button that was pressed; the trigger replaces it. */
  by: HTMLElement;
  /** Opened with a key: the focus starts on the first item. */
  isByKey: boolean;
};

const LANDMARKS = "[role=dialog], main, nav, header";
const placeOf = (opener: HTMLElement | null) => opener?.closest<HTMLElement>(LANDMARKS) ?? null;

export function OpenMenu({ trigger, groups, head, align = "end", by, isByKey }: OpenMenuProps) {
  const opener = useRef<HTMLButtonElement>(null);
  // Rendered in the landmark or dialog of its button, so that it hides nothing from screen readers.
  const [container, setContainer] = useState(() => placeOf(by));
  const isFirst = useRef(true);
  const start = (list: HTMLElement | null) => {
    if (!list || !isFirst.current) return;
    isFirst.current = false;
    // Radix did not see the key that opened it and would focus the list.
    if (isByKey) requestAnimationFrame(() => focusFirst(list));
  };
  // The item disappears with the menu: a dialog it opens must return the focus to the button.
  const choose = ({ onSelect }: MenuItem) => {
    opener.current?.focus();
    onSelect?.();
  };
  return (
    <Radix.Root
      modal={false}
      defaultOpen
      onOpenChange={(isOpen) => isOpen && setContainer(placeOf(opener.current))}
    >
      <Radix.Trigger asChild ref={opener}>
        {trigger}
      </Radix.Trigger>
      <Radix.Portal container={container}>
        <Radix.Content
          ref={start}
          align={align}
          sideOffset={4}
          className={cn(MENU, "min-w-44", head && "w-64")}
        >
          {head && <div className="mb-1 border-line border-b px-2 pt-1.5 pb-2.5">{head}</div>}
          {groups.map((items, group) => (
            <Radix.Group
              // biome-ignore lint/suspicious/noArrayIndexKey: groups keep their places.
              key={group}
              className={group > 0 ? "mt-1 border-line border-t pt-1" : undefined}
            >
              {items.map((item, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: items keep their places.
                <Item key={index} {...item} onSelect={item.onSelect && (() => choose(item))} />
              ))}
            </Radix.Group>
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

const focusFirst = (list: HTMLElement) =>
  list.querySelector<HTMLElement>("[role=menuitem]:not([data-disabled])")?.focus();

function Item({ label, icon, href, onSelect, isDisabled }: MenuItem) {
  const content = (
    <>
      {icon && <Icon name={icon} className="size-4 text-ink-2" />}
      {label}
    </>
  );
  if (href) {
    return (
      <Radix.Item asChild disabled={isDisabled}>
        <NearLink href={href} className={cn(MENU_ITEM, "text-ink")}>
          {content}
        </NearLink>
      </Radix.Item>
    );
  }
  return (
    <Radix.Item disabled={isDisabled} onSelect={onSelect} className={MENU_ITEM}>
      {content}
    </Radix.Item>
  );
}
