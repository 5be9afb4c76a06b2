"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { readStream } from "./read-stream.ts";

/** Reads one streamed response at a time. A new run, and leaving the page, stop the current one. */
export function useStream<Event>() {
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState("");
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const stop = useCallback(() => {
    running.current?.abort();
    setRunning(false);
  }, []);
  /** Resolves to whether it was stopped. */
  const run = useCallback(async (url: string, body: unknown, onEvent: (event: Event) => void) => {
    running.current?.abort();
    const current = new AbortController();
    running.current = current;
    setRunning(true);
    setFailure("");
    try {
      for await (const event of readStream<Event>(url, body, current.signal)) onEvent(event);
    } catch (cause) {
      if (!current.signal.aborted) setFailure((cause as Error).message);
    }
    if (running.current === current) setRunning(false);
    return current.signal.aborted;
  }, []);

  return { isRunning, failure, run, stop };
}
