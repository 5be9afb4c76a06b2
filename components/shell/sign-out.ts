import { unstable_rethrow } from "next/navigation";
import { liveEvents } from "../data/live-events.ts";
import { type ActionError, failingOf, isUnknown } from "../forms/action-answer.ts";
import { errorOfRejection } from "../forms/answer-of.ts";
import { forgetRuns } from "../playground/run/run-store.ts";
import { forgetToken } from "../tokens/carried-token.ts";
import { toast } from "../ui/overlays/toast-store.ts";

/** Redirects once the session has ended, else answers why it has not. */
export type SignOut = () => Promise<ActionError>;

/**
 * Signs out. What this tab keeps of the account goes with the session; a page that read on meanwhile would be refused. A failure is
 * shown, as the person is still signed in.
 */
export async function leaveAccount(address: string, signOut: SignOut): Promise<void> {
  liveEvents.setLeaving(true);
  const error = await signOut().catch(async (cause) => {
    await forgetWhenRedirected(cause, address);
    return errorOfRejection(cause);
  });
  liveEvents.setLeaving(false);
  const failing = failingOf(error);
  const state = isUnknown(failing) ? "You may still be signed in." : "You are still signed in.";
  toast(`${state} ${failing.failure}`, { tone: "bad" });
}

/** Forgets the account where the cause is Next's redirect, and throws that on: it is for Next. */
async function forgetWhenRedirected(cause: unknown, address: string): Promise<void> {
  try {
    unstable_rethrow(cause);
  } catch (redirect) {
    forgetToken();
    // The browser deletes them before it opens them again for anyone.
    await forgetRuns(address);
    throw redirect;
  }
}
