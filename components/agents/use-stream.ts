import { useCallback, useEffect, useRef, useState } from "react";
import { readJsonLines } from "@/lib/text/json-lines.ts";
import { UNREACHABLE } from "../forms/action-answer.ts";

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

/** Posts a request and yields the JSON lines of the response as they arrive. Throws an error with a message to show. */
async function* readStream<T>(url: string, body: unknown, signal: AbortSignal): AsyncGenerator<T> {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal,
  };
  // A browser's own words for a lost connection are for developers.
  const response = await fetch(url, init).catch((cause) => {
    throw signal.aborted ? cause : new Error(UNREACHABLE);
  });
  if (!response.ok || !response.body) {
    const failure: unknown = await response.json().catch(() => null);
    const { message } = (failure ?? {}) as { message?: unknown };
    throw new Error(typeof message === "string" ? message : UNREACHABLE);
  }
  yield* readJsonLines<T>(response.body);
}
