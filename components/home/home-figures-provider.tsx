"use client";

import { createContext, type ReactNode, useContext, useState, useSyncExternalStore } from "react";
import type { Home } from "@/lib/console/figures.ts";
import { createListeners } from "../ui/create-listeners.ts";
import { createLater } from "../ui/later.ts";

const ReadHomeFigures = createLater(() => import("./read-home-figures.tsx"), "ReadHomeFigures");

type Figures = Home | undefined;

/** Holds the latest figures. The store itself never changes, so a page that is still streaming is not re-rendered. */
function createFigures() {
  let figures: Figures;
  const { notify, subscribe } = createListeners();
  return {
    get: () => figures,
    put(next: Figures) {
      figures = next;
      notify();
    },
    subscribe,
  };
}

type Store = ReturnType<typeof createFigures>;

const HomeFigures = createContext<Store>(createFigures());

/** Reads the figures once for the whole frame: the bell and the navigation. Pauses in a hidden tab. */
export function HomeFiguresProvider({ children }: { children: ReactNode }) {
  const [store] = useState(createFigures);
  return (
    <HomeFigures value={store}>
      <Reader store={store} />
      {children}
    </HomeFigures>
  );
}

function Reader({ store }: { store: Store }) {
  const [isFailed, setFailed] = useState(false);
  const Reading = ReadHomeFigures.usePart(!isFailed, () => setFailed(true));
  return Reading && <Reading onRead={store.put} />;
}

/** The latest figures; undefined until the first read. */
export function useHomeFigures(): Figures {
  const store = useContext(HomeFigures);
  return useSyncExternalStore(store.subscribe, store.get, () => undefined);
}
