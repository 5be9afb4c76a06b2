import type { Failing } from "../forms/action-answer.ts";
import { readWalletFault, WALLET_WORDS } from "../wallet/wallet-fault.ts";
import { SignInFailure } from "./sign-in-actions.ts";

export type Method = "builder" | "subscriber" | "wallet" | "passkey" | "new-passkey";

/** One sign-in at a time: which method runs and its current step, or why the last one failed. */
export type SignInState = {
  method: Method | null;
  step: string;
  /** The proof was sent: its answer signs the person in, whatever they do meanwhile. */
  isSent?: true;
} & Failing;

export type SignInEvent =
  | { type: "started"; method: Method; step: string }
  | { type: "stepped" | "sent"; method: Method; step: string }
  | ({ type: "failed" } & Failing)
  | { type: "canceled" };

export function signInReducer(state: SignInState, event: SignInEvent): SignInState {
  switch (event.type) {
    case "started":
      return state.method ? state : { method: event.method, step: event.step, failure: "" };
    case "stepped":
      // A canceled wallet may still report a step.
      return state.method === event.method ? { ...state, step: event.step } : state;
    case "sent":
      return state.method === event.method ? { ...state, step: event.step, isSent: true } : state;
    case "failed": {
      const { type: _, ...failing } = event;
      return { method: null, step: "", ...failing };
    }
    case "canceled":
      return state.isSent ? state : { method: null, step: "", failure: "" };
  }
}

/** Whether a method waits for the visitor's wallet or device, which may never answer. */
export const isCancelable = (method: Method | null): boolean =>
  method === "wallet" || method === "passkey" || method === "new-passkey";

/** What the page says of a sign-in with a passkey or a demo account that failed; `host` is where the page is served. */
export const passkeyFailure = (cause: Error, host: string): Failing =>
  cause instanceof SignInFailure
    ? cause.failing
    : { failure: deviceWords(cause, host), isCertain: true };

function deviceWords(cause: Error, host: string): string {
  if (cause.name === "NotAllowedError" || cause.name === "AbortError") {
    return "You closed the request, or it timed out. Nothing was changed.";
  }
  if (cause.name === "SecurityError") {
    return `Passkeys need a domain name over HTTPS, or localhost. This page is at ${host}.`;
  }
  return cause.message;
}

export const walletFailure = (cause: unknown): Failing =>
  cause instanceof SignInFailure
    ? cause.failing
    : { failure: WALLET_WORDS[readWalletFault(cause)], isCertain: true };

/** Where a person goes on after signing in: with the fragment of the link that led here, which holds the secret of a mail. */
export const placeAfter = (goesTo: string, { hash }: Pick<Location, "hash">): string =>
  goesTo + hash;
