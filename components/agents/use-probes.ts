"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import type { Probe, ProbeEvent } from "@/lib/probe/report/probe.ts";
import { readStream } from "./read-stream.ts";

export type Probing = {
  /** Keys of the rows whose answer is still to come. */
  waiting: ReadonlySet<number>;
  total: number;
  done: number;
  failure: string | null;
};

export type ProbeAsked = {
  key: number;
  verb: string;
  url: string;
  values?: Record<string, string>;
  sample?: string;
  isStream?: boolean;
};

const IDLE: Probing = { waiting: new Set(), total: 0, done: 0, failure: null };

/** Probes rows and hands each result on as it comes. */
export function useProbes(onProbe: (key: number, probe: Probe) => void) {
  const [probing, setProbing] = useState(IDLE);
  const running = useRef<AbortController>(undefined);
  const told = useRef(onProbe);
  told.current = onProbe;
  useEffect(() => () => running.current?.abort(), []);

  const probe = useCallback(
    async (rows: readonly ProbeAsked[], about: { access?: object; agentId?: string }) => {
      running.current?.abort();
      const own = new AbortController();
      running.current = own;
      const waiting = new Set(rows.map(({ key }) => key));
      const tell = (failure: string | null = null) =>
        setProbing({
          waiting: new Set(waiting),
          total: rows.length,
          done: rows.length - waiting.size,
          failure,
        });
      tell();
      try {
        const endpoints = rows.map(({ key: _, ...row }) => row);
        const body = { endpoints, ...about };
        for await (const event of readStream<ProbeEvent>("/agents/new/probe", body, own.signal)) {
          const key = rows[event.index]?.key;
          if (key === undefined) continue;
          waiting.delete(key);
          told.current(key, event.probe);
          tell();
        }
      } catch (cause) {
        if (own.signal.aborted) return;
        waiting.clear();
        tell((cause as Error).message);
      }
    },
    [],
  );

  return { probing, probe };
}
