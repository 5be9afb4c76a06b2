import { type ComponentType, createElement, useEffect, useState } from "react";
import { LaterFailed } from "./later-failed.tsx";
import { toast } from "./overlays/toast-store.ts";

/**
 * A part of the page that is fetched when it is first needed, so that a first visit does not wait for
 * menus and dialogs that are still closed. Call it at module scope.
 *
 * @example
 * const MenuList = createLater(() => import("./menu-list.tsx"), "MenuList");
 */
export function createLater<Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
) {
  type Props = Module[Name] extends ComponentType<infer Given extends object> ? Given : never;
  let part: ComponentType<Props> | undefined;
  const fetchPart = async () => {
    part ??= (await load())[name] as ComponentType<Props>;
  };
  const ahead = () => void fetchPart().catch(() => undefined);
  return {
    /** Fetches it before it is needed. */
    ahead,
    /** The same for the control that opens it, once the pointer or the focus is near. */
    near: { onPointerEnter: ahead, onFocus: ahead },
    /**
     * For what a press opens. The part, once it was needed and has arrived; it stays from then on. When it
     * can't be fetched, a toast says so and `onFailed` withdraws the need: the next press tries again.
     */
    usePart(isNeeded: boolean, onFailed: () => void): ComponentType<Props> | undefined {
      const [isKept, setKept] = useState(false);
      useEffect(() => {
        if (!isNeeded || isKept) return;
        let isGone = false;
        countFetching(1);
        const fetched = fetchPart().finally(() => countFetching(-1));
        fetched.then(
          () => isGone || setKept(true),
          () => {
            if (isGone) return;
            toast("This could not be loaded. Check your connection and try again.", {
              tone: "bad",
            });
            onFailed();
          },
        );
        return () => {
          isGone = true;
        };
      });
      return isKept || isNeeded ? part : undefined;
    },
    /** For what is needed wherever it is rendered, in the browser only. When it can't be fetched, its place says so. */
    Part(props: Props) {
      const [state, setState] = useState<"asked" | "there" | "failed">("asked");
      useEffect(() => {
        if (state !== "asked") return;
        fetchPart().then(
          () => setState("there"),
          () => setState("failed"),
        );
      });
      if (state === "failed")
        return createElement(LaterFailed, { onRetry: () => setState("asked") });
      return state === "there" && part ? createElement(part, props) : null;
    },
  };
}

let fetching = 0;

/** A phone has no hover to fetch ahead on: the page shows that what was pressed is being fetched. */
function countFetching(change: 1 | -1): void {
  fetching += change;
  document.documentElement.toggleAttribute("data-fetching", fetching > 0);
}

/** How long a browser without idle callbacks gets to finish the page. */
const SOON_MS = 1_000;

/** Runs `work`, such as fetching a part ahead, once the browser is idle. Returns a function that cancels it. */
export function whenIdle(work: () => void): () => void {
  if (typeof requestIdleCallback === "undefined") {
    const timer = setTimeout(work, SOON_MS);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(() => work());
  return () => cancelIdleCallback(handle);
}
