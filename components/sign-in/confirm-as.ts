import { signInByPasskey } from "./passkey-proof.ts";
import { prove, type SignInActions } from "./sign-in-actions.ts";

/** How the person signed in, which is how they confirm that it is them. */
export type Identity =
  | { method: "wallet" | "passkey" }
  | { method: "demo"; role: "builder" | "subscriber" };

export type ConfirmActions = Pick<
  SignInActions,
  "askPasskey" | "signInWithPasskey" | "askWallet" | "signInWithWallet" | "signInAsDemo"
>;

/**
 * Has the person confirm without their wallet. `onSent` is called before the proof is sent, which cannot be canceled from
 * then on.
 */
export function confirmAs(
  identity: Identity,
  actions: ConfirmActions,
  { signal, onSent }: { signal: AbortSignal; onSent: () => void },
): Promise<void> {
  if (identity.method !== "demo") return signInByPasskey(actions, signal, onSent);
  onSent();
  return prove(actions.signInAsDemo(identity.role));
}
