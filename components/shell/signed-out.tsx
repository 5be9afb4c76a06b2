"use client";

import { useSyncExternalStore } from "react";
import { liveEvents } from "../data/live-events.ts";
import { signInHref } from "../sign-in/sign-in-href.ts";
import { Notice } from "../ui/notice.tsx";

/** Says once that the session has ended, in another tab or elsewhere; the page has stopped reading. */
export function SignedOut() {
  const isSignedOut = useSyncExternalStore(
    liveEvents.subscribe,
    liveEvents.isSignedOut,
    () => false,
  );
  if (!isSignedOut) return null;
  return (
    <div role="alert" className="mb-6">
      <Notice
        tone="unsettled"
        title="You were signed out"
        action={
          <a className="link" href={signInHref()}>
            Sign in
          </a>
        }
      >
        This page no longer updates. Sign in to return to it. To keep what you typed here, sign in
        in another tab, then send it again.
      </Notice>
    </div>
  );
}
