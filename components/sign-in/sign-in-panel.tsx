"use client";

import { Fingerprint, Wallet } from "lucide-react";
import { type FormEvent, useActionState, useCallback, useEffect, useState } from "react";
import { Button } from "../ui/button.tsx";
import { createLater } from "../ui/later.ts";
import { Notice } from "../ui/notice.tsx";
import { type SignInActions, unwrap, wordsOf } from "./sign-in-actions.ts";

const WalletSignIn = createLater(() =>
  import("./wallet-sign-in.tsx").then((it) => it.default),
).Part;

type Way = "builder" | "subscriber" | "wallet" | "passkey" | "new-passkey";
type SignInPanelProps = { isSandbox: boolean; goesTo: string; actions: SignInActions };

/** The ways to sign in; one at a time, each says where it stands. */
export function SignInPanel({ isSandbox, goesTo, actions }: SignInPanelProps) {
  const [way, setWay] = useState<Way | null>(null);
  const [stage, setStage] = useState("");
  /** Wallets and passkeys need this page's script: a press before it came would be lost without a word. */
  const [isReady, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  const [sent, submitDemo] = useActionState(actions.submitDemo, null);
  const [failure, setFailure] = useState(sent ? wordsOf(sent) : "");

  // A whole page load: nothing that was read before signing in stays in the browser.
  const done = useCallback(() => window.location.assign(goesTo), [goesTo]);
  const fail = useCallback((words: string) => {
    setWay(null);
    setStage("");
    setFailure(words);
  }, []);

  const start = (next: Way, words: string, work: () => Promise<void>) => {
    if (way) return;
    setFailure("");
    setStage(words);
    setWay(next);
    work().then(done, (cause: Error) => fail(passkeyWords(cause)));
  };
  // Until this runs, a press sends the form.
  const demo = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { submitter } = event.nativeEvent as SubmitEvent;
    const role = (submitter as HTMLButtonElement).value as "builder" | "subscriber";
    start(role, "Signing in.", () => unwrap(actions.signInAsDemo(role)));
  };
  const takePasskey = () =>
    start("passkey", "Confirm with your device.", async () => {
      const { startAuthentication } = await import("@simplewebauthn/browser");
      const optionsJSON = await unwrap(actions.askPasskey());
      await unwrap(actions.signInWithPasskey(await startAuthentication({ optionsJSON })));
    });
  const makePasskey = () =>
    start("new-passkey", "Confirm with your device.", async () => {
      const { startRegistration } = await import("@simplewebauthn/browser");
      const optionsJSON = await unwrap(actions.askNewPasskey());
      await unwrap(actions.registerPasskey(await startRegistration({ optionsJSON })));
    });
  const startWallet = () => {
    if (way) return;
    setFailure("");
    setStage("Looking for wallets.");
    setWay("wallet");
  };
  const state = (own: Way) => ({
    isPending: way === own,
    "aria-disabled": way !== null && way !== own,
  });

  const scripted = (own: Way) =>
    isReady ? state(own) : ({ isPending: false, "aria-disabled": true } as const);

  return (
    <div className="grid w-full max-w-100 gap-6">
      <div className="grid gap-1">
        <h1 className="text-h1">Sign in</h1>
        <p className="text-ink-2">Your account holds plans, agents, credits and limits.</p>
      </div>
      {isSandbox && (
        <section aria-labelledby="demo-title" className="grid gap-2.5">
          <h2 id="demo-title" className="text-ink-2 text-label">
            Look around with test money
          </h2>
          <form action={submitDemo} onSubmit={demo} className="grid gap-2.5">
            <input type="hidden" name="next" value={goesTo} />
            <Button
              type="submit"
              name="role"
              value="builder"
              look="primary"
              size="big"
              {...state("builder")}
            >
              Continue as demo builder
            </Button>
            <Button
              type="submit"
              name="role"
              value="subscriber"
              size="big"
              {...state("subscriber")}
            >
              Continue as demo subscriber
            </Button>
          </form>
        </section>
      )}
      <section aria-labelledby="own-title" className="grid gap-2.5">
        <h2 id="own-title" className="text-ink-2 text-label">
          {isSandbox ? "Or with an account of your own" : "With a wallet or a passkey"}
        </h2>
        <Button size="big" onClick={startWallet} {...scripted("wallet")}>
          <Wallet aria-hidden="true" className="size-4" strokeWidth={1.5} />
          Continue with a wallet
        </Button>
        <Button size="big" onClick={takePasskey} {...scripted("passkey")}>
          <Fingerprint aria-hidden="true" className="size-4" strokeWidth={1.5} />
          Continue with a passkey
        </Button>
        <Button look="quiet" onClick={makePasskey} {...scripted("new-passkey")}>
          New here? Make an account with a passkey
        </Button>
      </section>
      <p role="status" className="min-h-5 text-center text-ink-2 text-note">
        {stage}
      </p>
      {failure && (
        <div role="alert">
          <Notice tone="refused" title="You are not signed in.">
            {failure}
          </Notice>
        </div>
      )}
      {way === "wallet" && (
        <WalletSignIn actions={actions} onStage={setStage} onDone={done} onFailed={fail} />
      )}
    </div>
  );
}

/** What the browser's passkey errors mean. */
function passkeyWords(cause: Error): string {
  if (cause.name === "NotAllowedError" || cause.name === "AbortError") {
    return "You closed the request, or it ran out of time. Nothing was changed.";
  }
  if (cause.name === "SecurityError") {
    return `Passkeys need a named host over HTTPS, or localhost; this page is at ${window.location.host}.`;
  }
  return cause.message;
}
