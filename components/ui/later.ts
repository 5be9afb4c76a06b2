"use client";

import { type ComponentType, useEffect, useState } from "react";
import { toast } from "./overlays/toast-store.ts";

/**
 * A part of the page that is fetched when it is first needed, so that a first visit does not wait
 * for menus and dialogs nobody has opened yet. Make it at module scope.
 *
 * @example
 * const MenuList = createLater(() => import("./menu-list.tsx").then((it) => it.MenuList));
 */
export function createLater<Props>(load: () => Promise<ComponentType<Props>>) {
  let part: ComponentType<Props> | undefined;
  const fetchPart = async () => {
    part ??= await load();
  };
  return {
    /** Fetches it before it is needed: the pointer or the focus is near. */
    ahead: () => void fetchPart().catch(() => undefined),
    /** The part once it was needed and is there; it stays from then on. `onFailed` takes the need back. */
    usePart(isNeeded: boolean, onFailed: () => void): ComponentType<Props> | undefined {
      const [isKept, setKept] = useState(false);
      useEffect(() => {
        if (!isNeeded || isKept) return;
        let isGone = false;
        fetchPart().then(
          () => isGone || setKept(true),
          () => {
            if (isGone) return;
            toast("This could not be loaded. Check the connection and try again.", { tone: "bad" });
            onFailed();
          },
        );
        return () => {
          isGone = true;
        };
      });
      return isKept || isNeeded ? part : undefined;
    },
  };
}
