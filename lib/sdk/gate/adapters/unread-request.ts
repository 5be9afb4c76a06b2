import { withoutHidden } from "../headers.ts";

/** What a request of `@hono/node-server` keeps while only its head has been read, or its signal. */
const UNREAD = ["incoming", "url", "method", "headers", "abortController"];

/**
 * The request as the work sees it, without a copy, where `@hono/node-server` reads it from Node only as far as it is used; any
 * other is `null`. Its members are read through the object they are asked of, so that one which inherits from it and has
 * other headers is the same request with these, also when it is cloned or passed on.
 */
export function unreadForWork(request: Request): Request | null {
  // Read before: both then end with the same signal.
  void request.signal;
  const kept = Object.getOwnPropertySymbols(request).map(({ description = "" }) => description);
  const isUnread = kept.every((name) => UNREAD.includes(name.replace(/Key$/, "")));
  if (!isUnread || !kept.includes("incomingKey")) return null;
  let headers: Headers | undefined;
  return Object.create(request, {
    headers: {
      get() {
        headers ??= withoutHidden(request.headers);
        return headers;
      },
    },
  });
}
