import { useState } from "react";
import { type ActionAnswer, type Failing, failingOf } from "./action-answer.ts";
import { answerOf } from "./answer-of.ts";

/**
 * Runs the operations of buttons and dialogs, one at a time. A form with fields has `useOperationForm`.
 *
 * @example
 * const { run, isPending, failure } = useOperation();
 * <Button isPending={isPending} onClick={() => run(() => revokeToken({ tokenId }), onClose)}>Revoke token</Button>
 */
export function useOperation() {
  const [isPending, setPending] = useState(false);
  const [failing, setFailing] = useState<Failing>();

  async function run<Data>(
    work: () => Promise<ActionAnswer<Data>>,
    onDone?: (data: Data) => void | Promise<void>,
  ): Promise<void> {
    if (isPending) return;
    setPending(true);
    setFailing(undefined);
    const answer = await answerOf(work());
    if (answer?.ok) await onDone?.(answer.data);
    else setFailing(failingOf(answer));
    setPending(false);
  }

  return {
    run,
    isPending,
    /** What went wrong with the last operation, and what to do. */
    failure: failing?.failure,
    failureCode: failing?.failureCode,
    isCertain: failing?.isCertain ?? false,
  };
}
