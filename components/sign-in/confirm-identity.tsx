import { useEffect, useState } from "react";
import type { Failing } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { Button } from "../ui/button.tsx";
import { createLater } from "../ui/later.ts";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { type ConfirmActions, confirmAs, type Identity } from "./confirm-as.ts";
import { createProofAttempt, type ProofAttempt } from "./proof-attempt.ts";
import { passkeyFailure } from "./sign-in-state.ts";

const WalletSignIn = createLater(() => import("./wallet-sign-in.tsx"), "default").Part;

/** What the person confirms with, as text. */
export const proofText = ({ method }: Identity): string =>
  method === "demo" ? "demo sign-in" : method;

type ConfirmIdentityProps = {
  identity: Identity;
  actions: ConfirmActions;
  /** What needs it: "Creating an API key". */
  what: string;
  onDone: () => void;
  onCancel: () => void;
};

/**
 * Asks for a fresh proof of who is signed in, for operations that answer `step_up_required`. Render it to open it; repeat
 * the operation when it is done.
 */
export function ConfirmIdentity({
  identity,
  actions,
  what,
  onDone,
  onCancel,
}: ConfirmIdentityProps) {
  const [attempt, setAttempt] = useState<ProofAttempt>();
  const [step, setStep] = useState(OPENING);
  const [isSent, setSent] = useState(false);
  const [failing, setFailing] = useState<Failing>();
  // Its owner may close it as well as the person: what was confirmed then is not what is wanted now.
  useEffect(() => attempt?.cancel, [attempt]);
  const isWallet = identity.method === "wallet";
  const confirm = () => {
    const started = createProofAttempt(onDone, (failed) => {
      setAttempt(undefined);
      setSent(false);
      setFailing(failed);
    });
    setAttempt(started);
    setFailing(undefined);
    setStep(OPENING);
    if (isWallet) return;
    const onSent = () => setSent(true);
    confirmAs(identity, actions, { signal: started.signal, onSent }).then(
      started.done,
      (cause: Error) => started.fail(passkeyFailure(cause, window.location.host)),
    );
  };
  const cancel = () => {
    // The proof may be of another account, which is signed in then.
    if (isSent) return;
    attempt?.cancel();
    onCancel();
  };
  return (
    <>
      <Dialog
        // The wallet's own window needs the page to itself.
        isOpen={!(attempt && isWallet)}
        onClose={cancel}
        title="Confirm it’s you"
        description={`${what} needs a sign-in from the last five minutes. Confirm with your ${proofText(identity)} to continue.`}
        footer={
          <>
            <Button aria-disabled={isSent} onClick={cancel}>
              Cancel
            </Button>
            <Button data-safe look="primary" isPending={attempt !== undefined} onClick={confirm}>
              {identity.method === "demo"
                ? `Continue as demo ${identity.role}`
                : `Confirm with ${identity.method}`}
            </Button>
          </>
        }
      >
        {failing && (
          <FailureNotice
            signsIn
            title="You were not confirmed."
            unknown="Confirm again."
            of={failing}
          />
        )}
      </Dialog>
      {attempt && isWallet && (
        <>
          <WalletSignIn
            actions={actions}
            onStep={(words, type) => {
              setStep(words);
              setSent(type === "sent");
            }}
            onDone={attempt.done}
            onFailed={attempt.fail}
          />
          <WalletBar step={step} isSent={isSent} onCancel={cancel} />
        </>
      )}
    </>
  );
}

const OPENING = "Opening your wallet.";

type WalletBarProps = {
  step: string;
  isSent: boolean;
  onCancel: () => void;
};

/** What the wallet waits for, and a way to cancel it, while the dialog is closed for the wallet's own window. */
function WalletBar({ step, isSent, onCancel }: WalletBarProps) {
  return (
    <div className="fixed inset-x-4 bottom-4 z-20 mx-auto flex max-w-130 items-center justify-between gap-3 rounded-dialog border border-line bg-surface px-4 py-3 text-ink shadow-dialog">
      <p role="status">{step}</p>
      <Button aria-disabled={isSent} onClick={onCancel}>
        Cancel
      </Button>
    </div>
  );
}
