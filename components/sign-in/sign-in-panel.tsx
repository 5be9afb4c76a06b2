"use client";

import { Fingerprint, Wallet } from "lucide-react";
import {
  type FormEvent,
  useActionState,
  useCallback,
  useEffect,
  useReducer,
  useState,
} from "react";
import { type Failing, failingOf } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { Button } from "../ui/button.tsx";
import { createLater } from "../ui/later.ts";
import { signInByPasskey, signUpByPasskey } from "./passkey-proof.ts";
import { createProofAttempt, type ProofAttempt } from "./proof-attempt.ts";
import { reloadRestored } from "./reload-restored.ts";
import { prove, type SignInActions } from "./sign-in-actions.ts";
import {
  isCancelable,
  type Method,
  passkeyFailure,
  placeAfter,
  signInReducer,
} from "./sign-in-state.ts";

const WalletSignIn = createLater(() => import("./wallet-sign-in.tsx"), "default").Part;

/** Whether someone signs in to buy. */
const leadsToOrder = (goesTo: string): boolean => goesTo.startsWith("/checkout/");

type SignInPanelProps = { isSandbox: boolean; goesTo: string; actions: SignInActions };
type Work = (signal: AbortSignal, onSent: () => void) => Promise<void>;
type Start = (method: Method, step: string, work?: Work) => void;
type ButtonState = (method: Method) => { isPending: boolean; "aria-disabled": boolean };

/** The ways to sign in: as a demo account, with a wallet, with a passkey. */
export function SignInPanel({ isSandbox, goesTo, actions }: SignInPanelProps) {
  const [answer, submitDemo] = useActionState(actions.submitDemo, null);
  const [state, dispatch] = useReducer(signInReducer, {
    method: null,
    step: "",
    ...(answer ? { ...failingOf(answer), isCertain: true } : { failure: "" }),
  });
  const { method: running } = state;
  const [attempt, setAttempt] = useState<ProofAttempt>();

  // A full page load: nothing that was read before signing in stays in the browser.
  const done = () => window.location.assign(placeAfter(goesTo, window.location));
  const fail = (failing: Failing) => dispatch({ type: "failed", ...failing });
  const step = useCallback(
    (words: string, type: "stepped" | "sent" = "stepped") =>
      dispatch({ type, method: "wallet", step: words }),
    [],
  );

  useEffect(() => attempt?.cancel, [attempt]);
  useEffect(() => reloadRestored(window, () => window.location.reload()), []);
  const start: Start = (method, words, work) => {
    if (running) return;
    const started = createProofAttempt(done, fail);
    setAttempt(started);
    dispatch({ type: "started", method, step: words });
    const onSent = () => dispatch({ type: "sent", method, step: "Signing in." });
    work?.(started.signal, onSent).then(started.done, (cause: Error) =>
      started.fail(passkeyFailure(cause, window.location.host)),
    );
  };
  const cancel = () => {
    attempt?.cancel();
    dispatch({ type: "canceled" });
  };
  const stateOf: ButtonState = (method) => ({
    isPending: running === method,
    "aria-disabled": running !== null && running !== method,
  });
  return (
    <div className="grid w-full max-w-100 gap-6">
      <div className="grid gap-1">
        <h1 tabIndex={-1} data-page-heading className="text-h1 outline-none">
          Sign in
        </h1>
        <p className="text-ink-2">
          {leadsToOrder(goesTo)
            ? "Sign in to order the plan. Nothing is charged before you confirm."
            : "Manage your plans, agents, credits and spending limits."}
        </p>
      </div>
      {isSandbox && (
        <DemoButtons
          goesTo={goesTo}
          submitDemo={submitDemo}
          stateOf={stateOf}
          onStart={(role) => start(role, "Signing in.", () => prove(actions.signInAsDemo(role)))}
        />
      )}
      <OwnAccount isSandbox={isSandbox} actions={actions} start={start} stateOf={stateOf} />
      <p role="status" className="min-h-5 text-center text-ink-2 text-note">
        {state.step}
      </p>
      {isCancelable(running) && (
        <Button aria-disabled={state.isSent} onClick={cancel}>
          Cancel
        </Button>
      )}
      <FailureNotice
        signsIn
        title="You are not signed in."
        unknown="Reload the page to see whether you are signed in."
        of={state}
      />
      {running === "wallet" && attempt && (
        <WalletSignIn
          actions={actions}
          onStep={step}
          onDone={attempt.done}
          onFailed={attempt.fail}
        />
      )}
    </div>
  );
}

type DemoButtonsProps = {
  goesTo: string;
  submitDemo: (form: FormData) => void;
  stateOf: ButtonState;
  onStart: (role: "builder" | "subscriber") => void;
};

/** The sandbox's demo accounts. Until the page's script runs, a click sends the form. */
function DemoButtons({ goesTo, submitDemo, stateOf, onStart }: DemoButtonsProps) {
  const usual = leadsToOrder(goesTo) ? "subscriber" : "builder";
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { submitter } = event.nativeEvent as SubmitEvent;
    onStart((submitter as HTMLButtonElement).value as "builder" | "subscriber");
  };
  return (
    <section aria-labelledby="demo-title" className="grid gap-2.5">
      <h2 id="demo-title" className="text-ink-2 text-label">
        Explore with test money
      </h2>
      <form action={submitDemo} onSubmit={submit} className="grid gap-2.5">
        <input type="hidden" name="next" value={goesTo} />
        {(["builder", "subscriber"] as const).map((role) => (
          <Button
            key={role}
            type="submit"
            name="role"
            value={role}
            look={role === usual ? "primary" : "plain"}
            size="big"
            worksWithoutScript
            {...stateOf(role)}
          >
            Continue as demo {role}
          </Button>
        ))}
      </form>
    </section>
  );
}

type OwnAccountProps = Pick<SignInPanelProps, "isSandbox" | "actions"> & {
  start: Start;
  stateOf: ButtonState;
};

/** The ways into an account of the visitor. */
function OwnAccount({ isSandbox, actions, start, stateOf }: OwnAccountProps) {
  const signIn = () =>
    start("passkey", "Confirm with your device.", (...work) => signInByPasskey(actions, ...work));
  const signUp = () =>
    start("new-passkey", "Confirm with your device.", (...work) =>
      signUpByPasskey(actions, ...work),
    );
  return (
    <section aria-labelledby="own-title" className="grid gap-2.5">
      <h2 id="own-title" className="text-ink-2 text-label">
        {isSandbox ? "Or with your own account" : "With a wallet or a passkey"}
      </h2>
      <Button
        size="big"
        onClick={() => start("wallet", "Looking for wallets.")}
        {...stateOf("wallet")}
      >
        <Wallet aria-hidden="true" className="size-4" strokeWidth={1.5} />
        Continue with a wallet
      </Button>
      <Button size="big" onClick={signIn} {...stateOf("passkey")}>
        <Fingerprint aria-hidden="true" className="size-4" strokeWidth={1.5} />
        Continue with a passkey
      </Button>
      <Button look="quiet" onClick={signUp} {...stateOf("new-passkey")}>
        <span>
          New here? <span className="link">Sign up with a passkey</span>
        </span>
      </Button>
    </section>
  );
}
