import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import type { Exchange, PlainAnswer } from "@/lib/playground/exchange.ts";
import type { PaymentToApprove } from "@/lib/playground/ports.ts";
import type { Run, RunEvent, StepId, StepResult } from "@/lib/playground/run.ts";
import { causeText } from "../../forms/cause-text.ts";
import type { ApprovalAnswer } from "../timeline/payment-approval.tsx";
import { fetchEngine } from "./fetch-engine.ts";
import type { PlayOptions } from "./play-run.ts";
import { isPaying } from "./run-facts.ts";

export type RunState = {
  run: Run | null;
  isRunning: boolean;
  progress: string;
  /** The step that waits for the user when stepping. */
  waitsFor: StepId | null;
  /** A payment by `exact` that waits for the user's signature. */
  approval: Approval | null;
  /** Why the run failed without a payment status: the service itself failed. */
  failure: string;
};

/** What is about to be signed, and how the user answers. */
export type Approval = { payment: PaymentToApprove; answer: (answer: ApprovalAnswer) => void };

const IDLE: RunState = {
  run: null,
  isRunning: false,
  progress: "",
  waitsFor: null,
  approval: null,
  failure: "",
};

type Options = Pick<PlayOptions, "input" | "from" | "service" | "resumes"> & {
  /** Pauses before each step until `step()` is called. */
  isStepwise: boolean;
  /** Asks the user before the step that pays; only in live. */
  confirmPaying?: () => Promise<boolean>;
  /** Called before the request that pays, with the run to keep if the page is left. */
  onPaying: (run: Run) => void;
  onEnd: (run: Run) => void;
};

type Stepping = Pick<Options, "isStepwise"> & {
  confirmPaying: Options["confirmPaying"] | undefined;
  resume: RefObject<(() => void) | null>;
};

/** What a followed run gets from the page. */
type RunControl = { signal: AbortSignal; patch: (change: Partial<RunState>) => void };

const withStep = (state: RunState, step: StepResult): RunState => ({
  ...state,
  progress: "",
  run: state.run && {
    ...state.run,
    steps: state.run.steps.map((known) => (known.id === step.id ? step : known)),
  },
});

/** Shows what has arrived of a step's response. */
const withPartial = (state: RunState, { id, answer }: Extract<RunEvent, { type: "partial" }>) => ({
  ...state,
  run: state.run && {
    ...state.run,
    steps: state.run.steps.map((step) =>
      step.id === id && state.run
        ? { ...step, exchange: partialExchange(state.run, answer) }
        : step,
    ),
  },
});

const partialExchange = ({ input, startedAt }: Run, answer: PlainAnswer): Exchange => {
  const { method, url, headers, body } = input;
  const request = { method, url, headers, body };
  return { request, answer, failure: null, startedAt, durationMs: 0 };
};

/** Shows a payment that is about to be signed, until the user answers or the run ends. */
const approveWith =
  ({ signal, patch }: RunControl) =>
  (payment: PaymentToApprove) =>
    new Promise<ApprovalAnswer>((done) => {
      const answer = (given: ApprovalAnswer) => {
        patch({ approval: null });
        done(given);
      };
      signal.addEventListener("abort", () => answer(false), { once: true });
      patch({ approval: { payment, answer } });
    });

/** Waits before each step where the user steps, and asks before the one that pays. */
function mayStepWith(
  { signal, patch }: RunControl,
  { isStepwise, confirmPaying, resume }: Stepping,
): (id: StepId) => Promise<"go" | "stop"> {
  const wait = (id: StepId) =>
    new Promise<void>((go) => {
      resume.current = go;
      signal.addEventListener("abort", () => go(), { once: true });
      patch({ waitsFor: id });
    });
  return async (id) => {
    if (isStepwise && id !== "ask") await wait(id);
    patch({ waitsFor: null });
    if (signal.aborted) return "stop";
    const isSure = id !== "pay" || !confirmPaying || (await confirmPaying());
    return isSure ? "go" : "stop";
  };
}

/** Stops the run of a page that its user left: no one sees what it pays for. */
const useStopOnLeave = (controller: RefObject<AbortController | null>) =>
  useEffect(() => () => controller.current?.abort(), [controller]);

/** Asks before the tab is closed or reloaded. */
const useStay = (isNeeded: boolean) =>
  useEffect(() => {
    if (!isNeeded) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [isNeeded]);

export function useRun() {
  const [state, setState] = useState<RunState>(IDLE);
  const controller = useRef<AbortController | null>(null);
  const resume = useRef<(() => void) | null>(null);
  useStopOnLeave(controller);
  useStay(isPaying(state.run, state.isRunning));

  /** Shows a run's events as they arrive. Returns its result, or null if it failed. */
  const follow = useCallback(
    async <T>(
      run: (control: RunControl) => AsyncGenerator<RunEvent, T>,
      onPaying?: (run: Run) => void,
    ) => {
      controller.current?.abort();
      const abort = new AbortController();
      controller.current = abort;
      const patch = (change: Partial<RunState>) => {
        if (controller.current === abort) setState((before) => ({ ...before, ...change }));
      };
      setState({ ...IDLE, isRunning: true });
      try {
        const events = run({ signal: abort.signal, patch });
        for (;;) {
          const { done, value: event } = await events.next();
          if (done) return event;
          if (event.type === "start") patch({ run: event.run });
          if (event.type === "paying") onPaying?.(event.run);
          if (event.type === "progress") patch({ progress: event.words });
          if (event.type === "partial" && controller.current === abort) {
            setState((before) => withPartial(before, event));
          }
          if (event.type === "step" && controller.current === abort) {
            setState((before) => withStep(before, event.step));
          }
          if (event.type === "end") patch({ run: event.run, progress: "" });
        }
      } catch (cause) {
        patch({ failure: causeText(cause) });
        return null;
      } finally {
        patch({ isRunning: false, progress: "", waitsFor: null });
      }
    },
    [],
  );

  const start = useCallback(
    async ({ isStepwise, confirmPaying, onPaying, onEnd, ...options }: Options) => {
      const ended = await follow(async function* ({ signal, patch }) {
        const { playRun } = await fetchEngine(signal);
        return yield* playRun({
          ...options,
          signal,
          mayStep: mayStepWith({ signal, patch }, { isStepwise, confirmPaying, resume }),
          approve: approveWith({ signal, patch }),
        });
      }, onPaying);
      if (ended) onEnd(ended);
    },
    [follow],
  );

  const stop = useCallback(() => controller.current?.abort(), []);
  const step = useCallback(() => resume.current?.(), []);
  const show = useCallback((run: Run | null) => {
    controller.current?.abort();
    controller.current = null;
    setState({ ...IDLE, run });
  }, []);
  return { ...state, start, follow, stop, step, show };
}
