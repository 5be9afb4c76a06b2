import { useCallback, useRef, useState } from "react";
import { EXACT_FAULTS, type Fault } from "@/lib/playground/exact-faults.ts";
import { FAULTS, railOf } from "@/lib/playground/faults.ts";
import type { LabPlaces, Rail } from "@/lib/playground/lab-places.ts";
import type { RunPayer } from "@/lib/playground/ports.ts";
import { REHEARSAL } from "@/lib/playground/rehearsal.ts";
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

const FAULTS_OF: Record<LabTarget, readonly Fault[]> = {
  crypto: FAULTS,
  card: FAULTS,
  exact: EXACT_FAULTS,
  own: REHEARSAL,
};

const isRail = (target: LabTarget) => target === "crypto" || target === "card";

/** A fault that applies to one rail has one key, whichever rail is selected. */
const keyOf = (fault: Fault, target: LabTarget) =>
  `${isRail(target) && "recipe" in fault ? railOf(fault, target) : target}/${fault.id}`;

/** Runs faults one at a time against the selected target, and keeps how each ended there. */
export function useFaultLab(options: Options) {
  const { places, actions, serviceFor, follow, onStart, onEnd, own, isRehearsing } = options;
  const [states, setStates] = useState<Record<string, FaultState>>({});
  const [target, setTarget] = useState<LabTarget>(isRehearsing ? "own" : "crypto");
  const faults = FAULTS_OF[target];
  const [current, setCurrent] = useState<Fault | null>(null);
  const [isRunningAll, setRunningAll] = useState(false);
  const isStopped = useRef(false);

  const run = useCallback(
    async (fault: Fault): Promise<Run | null> => {
      if (!places || (target === "own" && !own)) return null;
      const put = (state: FaultState) =>
        setStates((known) => ({ ...known, [keyOf(fault, target)]: state }));
      setCurrent(fault);
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
  const runAll = useCallback(async () => {
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
  }, [run, onStart, faults, target]);
  const leave = useCallback(() => setCurrent(null), []);

  const stateOf = (fault: Fault): FaultState => states[keyOf(fault, target)] ?? IDLE;
  const isUsed = faults.some((fault) => stateOf(fault).state !== "idle");
  const isReady = target !== "own" || own !== null;
  return {
    ...{ target, setTarget, faults, isReady },
    current,
    /** The fault that can run again: it belongs to the selected target. */
    chosen: isReady && current && faults.includes(current) ? current : null,
    isRunningAll,
    isUsed,
    stateOf,
    runOne,
    runAll,
    leave,
  };
}

export type FaultLab = ReturnType<typeof useFaultLab>;
