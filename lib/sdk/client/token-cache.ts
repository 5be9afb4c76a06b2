/** How long a minted token is reused. */
export const TOKEN_CACHE_MS = 10 * 60_000;
/** For a token whose call waits for a person. Minted tokens expire within a day unless the caller says otherwise. */
export const APPROVAL_CACHE_MS = 24 * 60 * 60_000;

/** Whether a call was refused for a person's decision. It is for one token alone: another one asks the person again. */
export const isOfApproval = (cause: unknown): boolean =>
  cause === "pending_approval" || cause === "approval_declined";
