"use client";

import {
  type ComponentProps,
  cloneElement,
  type KeyboardEvent,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
  useState,
} from "react";
import type { IconName } from "../icon.tsx";
import { createLater } from "../later.ts";

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
  trigger: ReactElement<ComponentProps<"button">>;
  /** Groups of items, with a hairline between them. */
  groups: MenuItem[][];
  /** What stands over the items. */
  head?: ReactNode;
  align?: "start" | "end";
};

const OpenMenu = createLater(() => import("./open-menu.tsx").then((it) => it.OpenMenu));

/** Actions behind a button; the list comes with the first press. */
export function Menu(props: MenuProps) {
  const { trigger } = props;
  const [opened, setOpened] = useState<{ by: HTMLElement; isByKey: boolean }>();
  const Opened = OpenMenu.usePart(opened !== undefined, () => setOpened(undefined));
  if (Opened && opened) return <Opened {...props} {...opened} />;
  const open = ({ currentTarget }: { currentTarget: HTMLElement }, isByKey: boolean) =>
    setOpened({ by: currentTarget, isByKey });
  return cloneElement(trigger, {
    type: "button",
    "aria-haspopup": "menu",
    "aria-expanded": false,
    onPointerEnter: OpenMenu.ahead,
    onFocus: OpenMenu.ahead,
    // A press of Enter or Space is a click without a count.
    onClick: (event: MouseEvent<HTMLElement>) => open(event, event.detail === 0),
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
      if (event.key !== "ArrowDown") return;
      event.preventDefault();
      open(event, true);
    },
  });
}
