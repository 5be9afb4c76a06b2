"use client";

import type { InputOf, OutputOf } from "@turnpike/payments/protocol";
import { useEffect, useRef, useState } from "react";
import type { DashboardOperations } from "@/lib/console/operations.ts";
import { readOperation } from "./read-operation.ts";

type Options<K extends keyof DashboardOperations> = {
  eachMs: number;
  /** What was read with the page; the first reading then comes after `eachMs`. */
  first?: OutputOf<K, DashboardOperations>;
  isOn?: boolean;
};

type Read<K extends keyof DashboardOperations> = {
  key: string;
  text: string;
  data: OutputOf<K, DashboardOperations>;
};

const FAILURES_TOLD = 3;

/**
 * Reads an operation again and again while the tab is seen. `data` stays the same object until
 * something changed; `isError` is said after three readings in a row have failed. For what only
 * polls: a page that also asks again by itself uses React Query.
 */
export function usePolled<K extends keyof DashboardOperations>(
  name: K,
  input: InputOf<K, DashboardOperations>,
  { eachMs, first, isOn = true }: Options<K>,
): { data: OutputOf<K, DashboardOperations> | undefined; isError: boolean } {
  const [read, setRead] = useState<Read<K>>();
  const [failures, setFailures] = useState(0);
  const asked = useRef(input);
  asked.current = input;
  const key = `${name} ${JSON.stringify(input)}`;
  const hasFirst = first !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the input.
  useEffect(() => {
    if (!isOn) return;
    const stop = new AbortController();
    const { signal } = stop;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isDue = false;
    const look = async () => {
      isDue = document.hidden;
      if (isDue) return;
      try {
        const data = await readOperation(name, asked.current, signal);
        const text = JSON.stringify(data);
        if (signal.aborted) return;
        setRead((known) =>
          known?.key === key && known.text === text ? known : { key, text, data },
        );
        setFailures(0);
      } catch {
        if (signal.aborted) return;
        setFailures((count) => count + 1);
      }
      timer = setTimeout(look, eachMs);
    };
    const seen = () => isDue && void look();
    document.addEventListener("visibilitychange", seen, { signal });
    if (hasFirst) timer = setTimeout(look, eachMs);
    else void look();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [key, isOn, eachMs, hasFirst]);
  return { data: read?.key === key ? read.data : first, isError: failures >= FAILURES_TOLD };
}
