import { useCallback, useRef, useState } from "react";
import type { Fault } from "@/lib/playground/exact-faults.ts";
import type { LabPlaces, Rail } from "@/lib/playground/lab-places.ts";
import type { RunPayer } from "@/lib/playground/ports.ts";
import type { Run } from "@/lib/playground/run.ts";
import type { FaultResult, OwnEndpoint } from "@/lib/playground/run-fault.ts";
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
  /** The request as typed, to rehearse on; null while it names no plan or has errors. */
  own: OwnEndpoint | null;
  isRehearsing: boolean;
  actions: LabActions;
  serviceFor: (payer: RunPayer) => RunService;
  follow: ReturnType<typeof useRun>["follow"];
  onStart: () => void;
  onEnd: (run: Run, fault: Fault) => void;
};

const IDLE: FaultState = { state: "idle" };

/** Where faults run: against the lab's plans of a rail, its seller by `exact`, or as a rehearsal against the typed endpoint. */
export type LabTarget = Rail | "exact" | "own";

const isRail = (target: LabTarget) => target === "crypto" || target === "card";
/** Both rails have the same faults. */
const listOf = (target: LabTarget) => (isRail(target) ? "rails" : target);

/** A fault that applies to one rail has one key, whichever rail is selected. */
const keyOf = (fault: Fault, target: LabTarget) =>
  `${(isRail(target) && "only" in fault && fault.only) || target}/${fault.id}`;

type Known = { fault: Fault; state: FaultState };

/** Runs faults one at a time against the selected target, and keeps how each ended there. */
export function useFaultLab(options: Options) {
  const { places, actions, serviceFor, follow, onStart, onEnd, own, isRehearsing } = options;
  const [states, setStates] = useState<Record<string, Known>>({});
  const [target, setTarget] = useState<LabTarget>(isRehearsing ? "own" : "crypto");
  const [chosen, setChosen] = useState<{ fault: Fault; list: string } | null>(null);
  const current = chosen?.fault ?? null;
  const [isRunningAll, setRunningAll] = useState(false);
  const isStopped = useRef(false);

  const run = useCallback(
    async (fault: Fault): Promise<Run | null> => {
      if (!places || (target === "own" && !own)) return null;
      const put = (state: FaultState) =>
        setStates((known) => ({ ...known, [keyOf(fault, target)]: { fault, state } }));
      setChosen({ fault, list: listOf(target) });
      put({ state: "running" });
      let wasStopped = false;
      const result = await follow(async function* ({ signal }) {
        signal.addEventListener("abort", () => {
          wasStopped = true;
        });
        const { playFault } = await fetchEngine(signal);
        return yield* playFault(fault, {
          ...{ places, actions, signal },
          rail: isRail(target) ? target : "crypto",
          ...(target === "own" && { own }),
          service: serviceFor("test"),
        });
      });
      if (wasStopped) isStopped.current = true;
      if (wasStopped) put(IDLE);
      else if (!result) put({ state: "failed" });
      else put({ state: result.holds ? "as-expected" : "differs", result });
      return result?.run ?? null;
    },
    [places, own, actions, serviceFor, follow, target],
  );

  const runOne = useCallback(
    async (fault: Fault) => {
      onStart();
      const ended = await run(fault);
      if (ended) onEnd(ended, fault);
    },
    [run, onStart, onEnd],
  );
  const runAll = useCallback(
    async (faults: readonly Fault[]) => {
      onStart();
      isStopped.current = false;
      setStates((known) => {
        const again = new Set(faults.map((fault) => keyOf(fault, target)));
        return Object.fromEntries(Object.entries(known).filter(([key]) => !again.has(key)));
      });
      setRunningAll(true);
      for (const fault of faults) {
        await run(fault);
        if (isStopped.current) break;
      }
      setRunningAll(false);
    },
    [run, onStart, target],
  );
  const leave = useCallback(() => setChosen(null), []);

  const stateOf = (fault: Fault): FaultState => states[keyOf(fault, target)]?.state ?? IDLE;
  const isUsed = Object.entries(states).some(
    ([key, { fault, state }]) => state.state !== "idle" && key === keyOf(fault, target),
  );
  const isReady = target !== "own" || own !== null;
  return {
    ...{ target, setTarget, isReady },
    current,
    /** The fault that can run again: it belongs to the selected target. */
    chosen: isReady && chosen?.list === listOf(target) ? current : null,
    isRunningAll,
    isUsed,
    stateOf,
    runOne,
    runAll,
    leave,
  };
}

export type FaultLab = ReturnType<typeof useFaultLab>;
