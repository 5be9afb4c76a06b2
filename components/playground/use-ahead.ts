"use client";

import { useEffect } from "react";
import { whenIdle } from "../ui/when-idle.ts";
import { fetchEngine } from "./fetch-engine.ts";
import { fetchHistoryAhead } from "./history-list.tsx";
import { fetchInspectorAhead } from "./inspector-pane.tsx";

/** Fetches what the first run needs while nobody waits for it. What fails here is fetched when it is needed. */
export function useAhead(): void {
  useEffect(
    () =>
      whenIdle(() => {
        fetchEngine().catch(() => undefined);
        fetchInspectorAhead();
        fetchHistoryAhead();
      }),
    [],
  );
}
