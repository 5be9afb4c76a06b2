import { useCallback, useState } from "react";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { Button } from "../ui/button.tsx";
import { createLater } from "../ui/later.ts";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { type SignInActions, unwrap } from "./sign-in-actions.ts";
import { passkeyFailure } from "./sign-in-state.ts";

const WalletSignIn = createLater(() =>
  import("./wallet-sign-in.tsx").then((it) => it.default),
).Part;

/** How the person signed in, which is how they confirm that it is them. */
export type Identity =
  | { method: "wallet" | "passkey" }
  | { method: "demo"; role: "builder" | "subscriber" };

export type ConfirmActions = Pick<
  SignInActions,
  "askPasskey" | "signInWithPasskey" | "askWallet" | "signInWithWallet" | "signInAsDemo"
>;

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
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState<string>();
  const fail = useCallback((text: string) => {
    setRunning(false);
    setFailure(text);
  }, []);
  const isWallet = identity.method === "wallet";
  const confirm = () => {
    setRunning(true);
    setFailure(undefined);
    if (isWallet) return;
    prove(identity, actions).then(onDone, (cause: Error) =>
      fail(passkeyFailure(cause, window.location.host)),
    );
  };
  return (
    <>
      <Dialog
        // The wallet's own window needs the page to itself.
        isOpen={!(isRunning && isWallet)}
        onOpenChange={(isOpen) => !isOpen && onCancel()}
        title="Confirm it’s you"
        description={`${what} needs a sign-in from the last five minutes. Confirm with your ${proofText(identity)} to go on.`}
        footer={
          <>
            <Button onClick={onCancel}>Cancel</Button>
            <Button data-safe look="primary" isPending={isRunning} onClick={confirm}>
              {identity.method === "demo"
                ? `Continue as demo ${identity.role}`
                : `Confirm with ${identity.method}`}
            </Button>
          </>
        }
      >
        {failure && <FailureNotice title="You were not confirmed." of={{ failure }} />}
      </Dialog>
      {isRunning && isWallet && (
        <WalletSignIn actions={actions} onStep={ignore} onDone={onDone} onFailed={fail} />
      )}
    </>
  );
}

const ignore = () => {};

async function prove(identity: Identity, actions: ConfirmActions): Promise<void> {
  if (identity.method === "demo") return unwrap(actions.signInAsDemo(identity.role));
  const { startAuthentication } = await import("@simplewebauthn/browser");
  const optionsJSON = await unwrap(actions.askPasskey());
  await unwrap(actions.signInWithPasskey(await startAuthentication({ optionsJSON })));
}
