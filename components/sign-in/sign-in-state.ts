export type Method = "builder" | "subscriber" | "wallet" | "passkey" | "new-passkey";

/** One sign-in at a time: which method runs and its current step, or why the last one failed. */
export type SignInState = { method: Method | null; step: string; failure: string };

export type SignInEvent =
  | { type: "started"; method: Method; step: string }
  | { type: "stepped"; method: Method; step: string }
  | { type: "failed"; failure: string }
  | { type: "canceled" };

export function signInReducer(state: SignInState, event: SignInEvent): SignInState {
  switch (event.type) {
    case "started":
      return state.method ? state : { method: event.method, step: event.step, failure: "" };
    case "stepped":
      // A canceled wallet may still report a step.
      return state.method === event.method ? { ...state, step: event.step } : state;
    case "failed":
      return { method: null, step: "", failure: event.failure };
    case "canceled":
      return { method: null, step: "", failure: "" };
  }
}

/** Whether a method waits for the visitor's wallet or device, which may never answer. */
export const isCancelable = (method: Method | null): boolean =>
  method === "wallet" || method === "passkey" || method === "new-passkey";

/** What the errors of a passkey mean; `host` is where the page is served. */
export function passkeyFailure(cause: Error, host: string): string {
  if (cause.name === "NotAllowedError" || cause.name === "AbortError") {
    return "You closed the request, or it timed out. Nothing was changed.";
  }
  if (cause.name === "SecurityError") {
    return `Passkeys need a domain name over HTTPS, or localhost. This page is at ${host}.`;
  }
  return cause.message;
}

/** Where a person goes on after signing in: with the fragment of the link that led here, which holds the secret of a mail. */
export const placeAfter = (goesTo: string, { hash }: Pick<Location, "hash">): string =>
  goesTo + hash;
