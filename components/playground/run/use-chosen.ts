import { useCallback } from "react";
import type { Fault } from "@/lib/playground/exact-faults.ts";
import type { useRun } from "./use-run.ts";

type Choice = {
  /** The fault that is shown as chosen, if the faults are open. */
  fault: Fault | null;
  runFault: (fault: Fault) => Promise<void>;
  runner: ReturnType<typeof useRun>;
  start: (how?: { isStepwise: true }) => void;
};

/** Runs or steps through what is shown as chosen: a fault, which has no single steps, or the typed request. */
export function useChosen({ fault, runFault, runner, start }: Choice) {
  const { isRunning, waitsFor, step: next } = runner;
  const runChosen = () => {
    if (!fault) start();
    else if (!isRunning) void runFault(fault);
  };
  const step = useCallback(() => {
    if (waitsFor) next();
    else if (!fault) start({ isStepwise: true });
  }, [waitsFor, fault, next, start]);
  return { runChosen, step };
}
