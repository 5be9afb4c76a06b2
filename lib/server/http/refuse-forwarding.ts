type Scope = { fetch: typeof fetch };
type NextInit = RequestInit & { next?: { internal?: unknown } };

/**
 * Keeps Next from sending a server action, or the page it redirects to, with the caller's cookie over the network to
 * the address it believes is its own. An action runs on a page that contains it, or is not found; the browser itself
 * follows a redirect. Call before Next starts.
 *
 * @example refuseForwarding(globalThis);
 */
export function refuseForwarding(scope: Scope): void {
  const send = scope.fetch;
  scope.fetch = async (input, init?: NextInit) => {
    if (init?.next?.internal === undefined) return send(input, init);
    return init.method === "POST"
      ? new Response(null, { status: 404, headers: { "x-nextjs-action-not-found": "1" } })
      : new Response(null, { status: 204 });
  };
}
