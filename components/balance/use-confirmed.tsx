import { type ReactNode, useState } from "react";
import type { ActionAnswer } from "../forms/action-answer.ts";
import { useOperation } from "../forms/use-operation.ts";
import type { ConfirmActions, Identity } from "../sign-in/confirm-as.ts";
import { ConfirmIdentity } from "../sign-in/confirm-identity.tsx";

export type Confirmation = { identity: Identity; confirmActions: ConfirmActions };

/**
 * Runs an operation that may need a fresh proof of who asks: it asks for the proof and repeats the operation.
 *
 * @example
 * const operation = useConfirmed(confirmation, "Withdrawing");
 * <Button onClick={() => operation.run(() => createWithdrawal(input), onDone)}>…</Button>{operation.dialog}
 */
export function useConfirmed({ identity, confirmActions }: Confirmation, what: string) {
  const operation = useOperation();
  const [again, setAgain] = useState<() => void>();
  const run = async <Data,>(
    work: () => Promise<ActionAnswer<Data>>,
    onDone: (data: Data) => void | Promise<void>,
  ): Promise<void> => {
    const guarded = async (): Promise<ActionAnswer<Data | undefined>> => {
      const answer = await work();
      if (answer.ok || answer.code !== "step_up_required") return answer;
      setAgain(() => () => void operation.run(work, onDone));
      return { ok: true, data: undefined };
    };
    await operation.run(guarded, (data) => (data === undefined ? undefined : onDone(data)));
  };
  const dialog: ReactNode = again && (
    <ConfirmIdentity
      identity={identity}
      actions={confirmActions}
      what={what}
      onDone={() => {
        setAgain(undefined);
        again();
      }}
      onCancel={() => setAgain(undefined)}
    />
  );
  return {
    run,
    isPending: operation.isPending,
    failure: operation.failure,
    failureCode: operation.failureCode,
    isCertain: operation.isCertain,
    dialog,
  };
}
