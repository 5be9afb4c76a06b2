"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import type { Probe, ProbeEvent } from "@/lib/probe/report/probe.ts";
import { readStream } from "./read-stream.ts";

export type Probing = {
  /** Keys of the rows still being probed. */
  waiting: ReadonlySet<number>;
  total: number;
  done: number;
  failure: string | null;
};

export type ProbeRequest = {
  key: number;
  verb: string;
  url: string;
  values?: Record<string, string>;
  sample?: string;
  isStream?: boolean;
};

const IDLE: Probing = { waiting: new Set(), total: 0, done: 0, failure: null };

/** Probes rows and reports each result as it arrives. A new run stops the previous one. */
export function useProbes(onProbe: (key: number, probe: Probe) => void) {
  const [probing, setProbing] = useState(IDLE);
  const running = useRef<AbortController>(undefined);
  const listener = useRef(onProbe);
  listener.current = onProbe;
  useEffect(() => () => running.current?.abort(), []);

  const probe = useCallback(
    async (rows: readonly ProbeRequest[], about: { access?: object; agentId?: string }) => {
      running.current?.abort();
      const current = new AbortController();
      running.current = current;
      const waiting = new Set(rows.map(({ key }) => key));
      const report = (failure: string | null = null) =>
        setProbing({
          waiting: new Set(waiting),
          total: rows.length,
          done: rows.length - waiting.size,
          failure,
        });
      report();
      try {
        const endpoints = rows.map(({ key: _, ...row }) => row);
        const body = { endpoints, ...about };
        for await (const event of readStream<ProbeEvent>(
          "/agents/new/probe",
          body,
          current.signal,
        )) {
          const key = rows[event.index]?.key;
          if (key === undefined) continue;
          waiting.delete(key);
          listener.current(key, event.probe);
          report();
        }
      } catch (cause) {
        if (current.signal.aborted) return;
        waiting.clear();
        report((cause as Error).message);
      }
    },
    [],
  );

  return { probing, probe };
}
