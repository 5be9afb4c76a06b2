"use client";

import { useCallback, useRef, useState } from "react";
import { FAULTS, type Fault, railOf } from "@/lib/playground/faults.ts";
import type { LabPlaces, Rail } from "@/lib/playground/lab-places.ts";
import type { RunPayer } from "@/lib/playground/ports.ts";
import type { Run } from "@/lib/playground/run.ts";
import type { FaultResult } from "@/lib/playground/run-fault.ts";
import { fetchEngine } from "./fetch-engine.ts";
import type { LabActions } from "./lab-service.ts";
import type { RunService } from "./session-service.ts";
import type { useRun } from "./use-run.ts";

/** The state of one fault. `failed`: it could not be produced. */
export type FaultState =
  | { state: "idle" | "running" | "failed" }
  | { state: "as-expected" | "differs"; result: FaultResult };

type Options = {
  places: LabPlaces | undefined;
  actions: LabActions;
  serviceFor: (payer: RunPayer) => RunService;
  follow: ReturnType<typeof useRun>["follow"];
  onStart: () => void;
  onEnd: (run: Run, fault: Fault) => void;
};

const IDLE: FaultState = { state: "idle" };

/** A fault that applies to one rail has one key, whichever rail is selected. */
const keyOf = (fault: Fault, rail: Rail) => `${railOf(fault, rail)}/${fault.id}`;

/** Runs faults one at a time on the selected rail, and keeps how each ended there. */
export function useFaultLab(options: Options) {
  const { places, actions, serviceFor, follow, onStart, onEnd } = options;
  const [states, setStates] = useState<Record<string, FaultState>>({});
  const [rail, setRail] = useState<Rail>("crypto");
  const [current, setCurrent] = useState<Fault | null>(null);
  const [isRunningAll, setRunningAll] = useState(false);
  const isStopped = useRef(false);

  const run = useCallback(
    async (fault: Fault): Promise<Run | null> => {
      if (!places) return null;
      const put = (state: FaultState) =>
        setStates((known) => ({ ...known, [keyOf(fault, rail)]: state }));
      setCurrent(fault);
      put({ state: "running" });
      let wasStopped = false;
      const result = await follow(async function* ({ signal }) {
        signal.addEventListener("abort", () => {
          wasStopped = true;
        });
        const { playFault } = await fetchEngine(signal);
        return yield* playFault(fault, {
          ...{ places, actions, rail, signal },
          service: serviceFor("test"),
        });
      });
      if (wasStopped) isStopped.current = true;
      if (wasStopped) put(IDLE);
      else if (!result) put({ state: "failed" });
      else put({ state: result.holds ? "as-expected" : "differs", result });
      return result?.run ?? null;
    },
    [places, actions, serviceFor, follow, rail],
  );

  const runOne = useCallback(
    async (fault: Fault) => {
      onStart();
      const ended = await run(fault);
      if (ended) onEnd(ended, fault);
    },
    [run, onStart, onEnd],
  );
  const runAll = useCallback(async () => {
    onStart();
    isStopped.current = false;
    setStates((known) => {
      const again = new Set(FAULTS.map((fault) => keyOf(fault, rail)));
      return Object.fromEntries(Object.entries(known).filter(([key]) => !again.has(key)));
    });
    setRunningAll(true);
    for (const fault of FAULTS) {
      await run(fault);
      if (isStopped.current) break;
    }
    setRunningAll(false);
  }, [run, onStart, rail]);
  const leave = useCallback(() => setCurrent(null), []);

  const stateOf = (fault: Fault): FaultState => states[keyOf(fault, rail)] ?? IDLE;
  const isUsed = FAULTS.some((fault) => stateOf(fault).state !== "idle");
  return { rail, setRail, current, isRunningAll, isUsed, stateOf, runOne, runAll, leave };
}

export type FaultLab = ReturnType<typeof useFaultLab>;
