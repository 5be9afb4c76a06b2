import { useState } from "react";
import type { Probe, ProbeEvent } from "@/lib/probe/report/probe.ts";
import { useStream } from "./use-stream.ts";

export type Probing = {
  waiting: ReadonlySet<number>;
  total: number;
  done: number;
  failure: string;
};

export type ProbeRequest = {
  key: number;
  verb: string;
  url: string;
  values?: Record<string, string>;
  sample?: string;
  isStream?: boolean;
};

const NONE: ReadonlySet<number> = new Set();

/**
 * Probes rows and reports each result as it arrives, with what was probed: its row may have been edited since. A new run
 * stops the previous one.
 */
export function useProbes(onProbe: (asked: ProbeRequest, probe: Probe) => void) {
  const { isRunning, failure, run } = useStream<ProbeEvent>();
  const [waiting, setWaiting] = useState(NONE);
  const [total, setTotal] = useState(0);
  const probe = (rows: readonly ProbeRequest[], about: { access?: object; agentId?: string }) => {
    setWaiting(new Set(rows.map(({ key }) => key)));
    setTotal(rows.length);
    const endpoints = rows.map(({ key: _, ...row }) => row);
    return run("/agents/new/probe", { endpoints, ...about }, (event) => {
      const asked = rows[event.index];
      if (!asked) return;
      setWaiting((now) => new Set([...now].filter((one) => one !== asked.key)));
      onProbe(asked, event.probe);
    });
  };
  const probing: Probing = {
    waiting: isRunning ? waiting : NONE,
    total,
    done: total - waiting.size,
    failure,
  };
  return { probing, probe };
}
