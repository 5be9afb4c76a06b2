"use client";

import { useEffect } from "react";
import { whenIdle } from "../../ui/later.ts";
import { fetchHistoryAhead } from "../history/history-list.tsx";
import { fetchInspectorAhead } from "../inspector/inspector-pane.tsx";
import { fetchPartsAhead } from "../later-parts.ts";
import { fetchEngine } from "./fetch-engine.ts";

/** Prefetches the code of the first run while the page is idle. What fails here is fetched when it is needed. */
export function usePrefetch(): void {
  useEffect(
    () =>
      whenIdle(() => {
        fetchEngine().catch(() => undefined);
        fetchInspectorAhead();
        fetchHistoryAhead();
        fetchPartsAhead();
      }),
    [],
  );
}
