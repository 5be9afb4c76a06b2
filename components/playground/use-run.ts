"use client";

import { PaymentsError } from "@turnpike/payments/protocol";
import { useCallback, useRef, useState } from "react";
import { runPlayground } from "@/lib/playground/engine.ts";
import type { PlaygroundService, Transport } from "@/lib/playground/ports.ts";
import type { Run, RunInput, StepId } from "@/lib/playground/run.ts";

export type RunState = {
  run: Run | null;
  isRunning: boolean;
  /** What the step under way says of itself. */
  progress: string;
  /** The step that waits for the person, when single steps are asked for. */
  waitsFor: StepId | null;
  /** The service failed, so the run could not go on; nothing is claimed of its money. */
  failure: string;
};

const IDLE: RunState = { run: null, isRunning: false, progress: "", waitsFor: null, failure: "" };

type Options = {
  service: PlaygroundService;
  transport: Transport;
  input: RunInput;
  /** Stop before each step until `step()` is called. */
  isStepwise: boolean;
  /** Asked before the step that pays; only in live. */
  confirmPaying?: () => Promise<boolean>;
  onEnd: (run: Run) => void;
};

/** Drives a run and holds what it has told so far. */
export function useRun() {
  const [state, setState] = useState<RunState>(IDLE);
  const controller = useRef<AbortController | null>(null);
  const goOn = useRef<(() => void) | null>(null);

  const start = useCallback(async (options: Options) => {
    controller.current?.abort();
    const abort = new AbortController();
    controller.current = abort;
    const patch = (change: Partial<RunState>) => {
      if (controller.current === abort) setState((before) => ({ ...before, ...change }));
    };
    setState({ ...IDLE, isRunning: true });

    const wait = (id: StepId) =>
      new Promise<void>((go) => {
        goOn.current = go;
        abort.signal.addEventListener("abort", () => go(), { once: true });
        patch({ waitsFor: id });
      });
    const mayStep = async (id: StepId): Promise<"go" | "stop"> => {
      if (options.isStepwise && id !== "ask") await wait(id);
      patch({ waitsFor: null });
      if (abort.signal.aborted) return "stop";
      const isSure = id !== "pay" || !options.confirmPaying || (await options.confirmPaying());
      return isSure ? "go" : "stop";
    };
    try {
      const events = runPlayground({ ...options, signal: abort.signal, mayStep });
      for await (const event of events) {
        if (event.type === "start") patch({ run: event.run });
        if (event.type === "progress") patch({ progress: event.words });
        if (event.type === "step") {
          const { step } = event;
          if (controller.current !== abort) continue;
          setState((before) => ({
            ...before,
            progress: "",
            run: before.run && {
              ...before.run,
              steps: before.run.steps.map((known) => (known.id === step.id ? step : known)),
            },
          }));
        }
        if (event.type === "end") {
          patch({ run: event.run, isRunning: false, progress: "" });
          options.onEnd(event.run);
        }
      }
    } catch (cause) {
      const words = PaymentsError.is(cause) ? `${cause.message} ${cause.hint}` : String(cause);
      patch({ isRunning: false, progress: "", failure: words });
    }
  }, []);

  const stop = useCallback(() => controller.current?.abort(), []);
  const step = useCallback(() => goOn.current?.(), []);
  const show = useCallback((run: Run | null) => {
    controller.current?.abort();
    controller.current = null;
    setState({ ...IDLE, run });
  }, []);
  return { ...state, start, stop, step, show };
}
