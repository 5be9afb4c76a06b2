import type { Failing } from "../forms/action-answer.ts";

/** One attempt to prove who is there, whose result may arrive after the person has canceled it. */
export type ProofAttempt = {
  cancel: () => void;
  done: () => void;
  fail: (failing: Failing) => void;
  /** Aborts when the attempt is canceled: nothing more may be asked or sent for it. */
  signal: AbortSignal;
};

/** Passes the first result on, unless the attempt was canceled before. */
export function createProofAttempt(
  onDone: () => void,
  onFailed: (failing: Failing) => void,
): ProofAttempt {
  let isOver = false;
  const canceling = new AbortController();
  const once = (work: () => void) => {
    if (isOver) return;
    isOver = true;
    work();
  };
  return {
    cancel: () => once(() => canceling.abort()),
    done: () => once(onDone),
    fail: (failing) => once(() => onFailed(failing)),
    signal: canceling.signal,
  };
}
