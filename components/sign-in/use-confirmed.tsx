import { type ReactNode, useState } from "react";
import type { ActionAnswer } from "../forms/action-answer.ts";
import { useOperation } from "../forms/use-operation.ts";
import type { ConfirmActions, Identity } from "./confirm-as.ts";
import { ConfirmIdentity } from "./confirm-identity.tsx";

export type Confirmation = { identity: Identity; confirmActions: ConfirmActions };

/**
 * Runs an operation that may need a fresh proof of who asks: it asks for the proof and repeats the operation. A form or dialog
 * that runs its own operation passes it through `confirm`, and a dialog is closed while `dialog` is open.
 *
 * @example
 * const operation = useConfirmed(confirmation, "Withdrawing");
 * <Button onClick={() => operation.run(() => createWithdrawal(input), onDone)}>…</Button>{operation.dialog}
 */
export function useConfirmed({ identity, confirmActions }: Confirmation, what: string) {
  const operation = useOperation();
  const [answerWith, setAnswerWith] = useState<(isConfirmed: boolean) => void>();
  const confirm = async <Data,>(
    work: () => Promise<ActionAnswer<Data>>,
  ): Promise<ActionAnswer<Data>> => {
    const answer = await work();
    if (answer.ok || answer.code !== "step_up_required") return answer;
    const isConfirmed = await new Promise<boolean>((resolve) => setAnswerWith(() => resolve));
    setAnswerWith(undefined);
    return isConfirmed ? work() : answer;
  };
  const dialog: ReactNode = answerWith && (
    <ConfirmIdentity
      identity={identity}
      actions={confirmActions}
      what={what}
      onDone={() => answerWith(true)}
      onCancel={() => answerWith(false)}
    />
  );
  return {
    ...operation,
    run: <Data,>(
      work: () => Promise<ActionAnswer<Data>>,
      onDone?: (data: Data) => void | Promise<void>,
    ) => operation.run(() => confirm(work), onDone),
    confirm,
    dialog,
  };
}
