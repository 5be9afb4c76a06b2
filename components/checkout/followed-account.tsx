"use client";

import { useEventRefresh } from "../data/use-event-refresh.ts";
import { SignedOut } from "../shell/signed-out.tsx";

/** Follows the account's events where nothing else does, and says when it is signed out. Render it within a `QueryProvider`. */
export function FollowedAccount() {
  useEventRefresh();
  return <SignedOut />;
}
