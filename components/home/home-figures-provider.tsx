"use client";

import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useState,
  useSyncExternalStore,
} from "react";
import type { Home } from "@/lib/console/figures.ts";
import { usePolled } from "../data/use-polled.ts";

const LOOKS_EACH_MS = 30_000;

type Figures = Home | undefined;

/** Holds what was last read; itself it never changes, so a page that is still streaming in is left alone. */
function createFigures() {
  let figures: Figures;
  const listeners = new Set<() => void>();
  return {
    get: () => figures,
    put(next: Figures) {
      figures = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

type Store = ReturnType<typeof createFigures>;

const HomeFigures = createContext<Store>(createFigures());

/** Reads what asks for a person once for the whole frame: the bell and the rail; pauses in a hidden tab. */
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
  const { data } = usePolled("getHome", {}, { eachMs: LOOKS_EACH_MS });
  useEffect(() => store.put(data), [store, data]);
  return null;
}

/** The figures as last read; undefined until the first reading. */
export function useHomeFigures(): Figures {
  const store = useContext(HomeFigures);
  return useSyncExternalStore(store.subscribe, store.get, () => undefined);
}
