/** An empty page that the playground frames; `proxy.ts` gives it a policy that allows one agent's origin. */
export const GET = (): Response =>
  new Response("<!doctype html><title>Request</title>", {
    headers: { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" },
  });
