import type { ApiResponse } from "./answer-request.ts";

/** A page that a person sees in place of one of Stripe's or their bank's. */
export const hostedPage = (status: number, title: string, body: string): ApiResponse => ({
  status,
  body: `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><meta name="viewport" content="width=device-width"><body style="font:16px system-ui;max-width:32rem;margin:3rem auto;padding:0 1rem"><h1>${title}</h1>${body}</body></html>`,
  headers: { "content-type": "text/html; charset=utf-8", "referrer-policy": "no-referrer" },
});
