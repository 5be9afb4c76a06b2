/** One attempt to confirm who is signed in, whose result may arrive after the person has canceled it. */
export type ProofAttempt = {
  cancel: () => void;
  done: () => void;
  fail: (failure: string) => void;
};

/** Passes the first result on, unless the attempt was canceled before. */
export function createProofAttempt(
  onDone: () => void,
  onFailed: (failure: string) => void,
): ProofAttempt {
  let isOver = false;
  const once = (work: () => void) => {
    if (isOver) return;
    isOver = true;
    work();
  };
  return {
    cancel: () => once(() => {}),
    done: () => once(onDone),
    fail: (failure) => once(() => onFailed(failure)),
  };
}
