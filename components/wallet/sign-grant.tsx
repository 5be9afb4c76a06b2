import type { GrantToSign } from "@turnpike/payments/protocol";
import { type ReactNode, useEffect, useState } from "react";
import type { ActionAnswer, OperationAction } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { useOperation } from "../forms/use-operation.ts";
import { createLater } from "../ui/later.ts";
import { createGrantAttempt, type RevokeGrant } from "./grant-attempt.ts";

const GrantSigner = createLater(() => import("./grant-signer.tsx"), "default").Part;

/** Creates a delegation; where the wallet has to sign it, the answer has the grant. */
export type CreateDelegation = OperationAction<"createDelegation">;

/** Hands a wallet's signature of a grant to the service. */
export type SubmitGrantSignature = OperationAction<"submitGrantSignature">;

/** What signing a grant needs of the service. */
export type GrantActions = {
  submitGrantSignature: SubmitGrantSignature;
  /** For a delegation that was created for this signature: revokes it when signing is canceled. */
  revokeGrant?: RevokeGrant;
};

type SignGrantProps<Data> = {
  grant: GrantToSign;
  /** What signing does here: "Sign and pay 1.00 USDC". */
  verb: string;
  /** What did not happen when the signature is rejected: "No token was minted." */
  failed: string;
  /** What to do when the answer was lost. */
  unknown?: ReactNode;
  actions: GrantActions;
  /** What follows once the grant is signed, as part of the same operation. */
  follow?: (delegationId: string) => Promise<ActionAnswer<Data>>;
  onDone: (data: Data | undefined) => void;
  onCancel: () => void;
  isLeaving?: boolean;
};

/** Explains a grant, has the wallet sign it and hands the signature in. */
export function SignGrant<Data = never>({
  grant,
  verb,
  failed,
  unknown,
  ...props
}: SignGrantProps<Data>) {
  const signing = useOperation();
  const { delegationId } = grant;
  const [attempt] = useState(() =>
    createGrantAttempt(delegationId, props.actions.submitGrantSignature, props.actions.revokeGrant),
  );
  const cancel = () => {
    attempt.cancel();
    props.onCancel();
  };
  useEffect(() => attempt.enter(), [attempt]);
  const submit = (signature: string) =>
    signing.run(
      () => attempt.submit(signature, props.follow),
      (data) => {
        if (!attempt.isLeft()) props.onDone(data);
      },
    );
  return (
    <div className="grid gap-3">
      <FailureNotice title={failed} unknown={unknown} of={signing} />
      <GrantSigner
        grant={grant}
        verb={verb}
        isPending={signing.isPending || props.isLeaving === true}
        onSigned={(signature) => void submit(signature)}
        onCancel={cancel}
      />
    </div>
  );
}
