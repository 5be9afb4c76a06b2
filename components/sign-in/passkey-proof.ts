import type * as Device from "@simplewebauthn/browser";
import { UNREACHABLE } from "../forms/action-answer.ts";
import { ask, prove, type SignInActions, SignInFailure } from "./sign-in-actions.ts";

/**
 * Signs in with a passkey of the person's devices, unless `signal` ends the attempt before a device has approved it. Then
 * `onSent` is called: the proof is sent, and cannot be canceled.
 */
export async function signInByPasskey(
  actions: Pick<SignInActions, "askPasskey" | "signInWithPasskey">,
  signal: AbortSignal,
  onSent: () => void,
): Promise<void> {
  const optionsJSON = await ask(actions.askPasskey());
  const approved = await onDevice(signal, (device) => device.startAuthentication({ optionsJSON }));
  onSent();
  await prove(actions.signInWithPasskey(approved));
}

/** Makes a passkey and its account, under the same condition. */
export async function signUpByPasskey(
  actions: Pick<SignInActions, "askNewPasskey" | "registerPasskey">,
  signal: AbortSignal,
  onSent: () => void,
): Promise<void> {
  const optionsJSON = await ask(actions.askNewPasskey());
  const made = await onDevice(signal, (device) => device.startRegistration({ optionsJSON }));
  onSent();
  await prove(actions.registerPasskey(made));
}

/** Asks the device. Once the attempt is canceled, the device asks no longer, and an approval that is late is used for nothing. */
async function onDevice<T>(
  signal: AbortSignal,
  work: (device: typeof Device) => Promise<T>,
): Promise<T> {
  const device = await import("@simplewebauthn/browser").catch(() => {
    throw new SignInFailure({ failure: UNREACHABLE, isCertain: true });
  });
  signal.throwIfAborted();
  const stop = () => device.WebAuthnAbortService.cancelCeremony();
  signal.addEventListener("abort", stop);
  const approved = await work(device).finally(() => signal.removeEventListener("abort", stop));
  signal.throwIfAborted();
  return approved;
}
