"use client";

import { useEffect } from "react";
import { whenIdle } from "../../ui/later.ts";
import { fetchHistoryAhead } from "../history/history-list.tsx";
import { fetchInspectorAhead } from "../inspector/inspector-pane.tsx";
import { fetchEngine } from "./fetch-engine.ts";

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
