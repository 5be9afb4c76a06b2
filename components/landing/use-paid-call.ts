import { useEffect, useReducer, useRef, useState } from "react";
import type { StoryStep } from "@/lib/playground/story-steps.ts";
import { readJsonLines } from "@/lib/text/json-lines.ts";

// Steps that take a millisecond are still shown one after another, so that they can be followed. The
// durations shown are those the server measured.
const SHOW_EACH_MS = 70;
const TICK_MS = 100;

export type PaidCallState = {
  phase: "idle" | "running" | "ended";
  steps: StoryStep[];
  isStopped: boolean;
  /** Why the run could not start or be read. */
  failure?: string;
};

type Event =
  | { type: "started" }
  | { type: "step"; step: StoryStep }
  | { type: "ended" }
  | { type: "stopped" }
  | { type: "broke"; failure: string };

const IDLE: PaidCallState = { phase: "idle", steps: [], isStopped: false };

function reduce(state: PaidCallState, event: Event): PaidCallState {
  switch (event.type) {
    case "started":
      return { ...IDLE, phase: "running" };
    case "step":
      return { ...state, steps: [...state.steps, event.step] };
    case "ended":
      return { ...state, phase: "ended" };
    case "stopped":
      return { ...state, phase: "ended", isStopped: true };
    case "broke":
      return { ...state, phase: "ended", failure: event.failure };
  }
}

/** A run of the demo: its state, the time the current step has taken, and how to start and stop it. */
export function usePaidCall() {
  const [state, dispatch] = useReducer(reduce, IDLE);
  const [waitedMs, setWaitedMs] = useState(0);
  const abort = useRef<AbortController>(undefined);
  const isRunning = state.phase === "running";
  const stepsDone = state.steps.length;

  useEffect(() => () => abort.current?.abort(), []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each finished step restarts the clock.
  useEffect(() => {
    setWaitedMs(0);
    if (!isRunning) return;
    const since = performance.now();
    const timer = setInterval(() => setWaitedMs(Math.round(performance.now() - since)), TICK_MS);
    return () => clearInterval(timer);
  }, [isRunning, stepsDone]);

  const run = async () => {
    if (isRunning) return;
    const controller = new AbortController();
    abort.current = controller;
    dispatch({ type: "started" });
    try {
      for await (const step of streamRun(controller.signal)) dispatch({ type: "step", step });
      dispatch({ type: "ended" });
    } catch (error) {
      if (controller.signal.aborted) dispatch({ type: "stopped" });
      else dispatch({ type: "broke", failure: explain(error) });
    }
  };

  return { state, waitedMs, run, stop: () => abort.current?.abort() };
}

async function* streamRun(signal: AbortSignal): AsyncGenerator<StoryStep> {
  const response = await fetch("/demo/run", { method: "POST", signal });
  if (!response.ok || !response.body) throw new Error(await readError(response));
  const paceMs = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : SHOW_EACH_MS;
  for await (const step of readJsonLines<StoryStep>(response.body)) {
    if (paceMs > 0) await new Promise((resolve) => setTimeout(resolve, paceMs));
    signal.throwIfAborted();
    yield step;
  }
}

async function readError(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => null);
  const isEnvelope = typeof body === "object" && body !== null && "message" in body;
  return isEnvelope ? String(body.message) : `The service answered ${response.status}.`;
}

function explain(error: unknown): string {
  if (error instanceof TypeError)
    return "The service can’t be reached, or the connection was lost.";
  return error instanceof Error ? error.message : String(error);
}
