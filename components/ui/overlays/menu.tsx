import { cloneElement, type KeyboardEvent, type MouseEvent, useState } from "react";
import { createLater } from "../later.ts";
import type { MenuProps } from "./open-menu.tsx";

const OpenMenu = createLater(() => import("./open-menu.tsx"), "OpenMenu");

/** Actions behind a button. The list is fetched with the first press. */
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
    ...OpenMenu.near,
    // Enter and Space are clicks with a count of zero.
    onClick: (event: MouseEvent<HTMLElement>) => open(event, event.detail === 0),
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
      if (event.key !== "ArrowDown") return;
      event.preventDefault();
      open(event, true);
    },
  });
}
