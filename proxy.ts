import { type NextRequest, NextResponse } from "next/server";

/**
 * Gives each page a content security policy with its own nonce. Next reads the nonce from the
 * request's header and puts it on every script it writes. Headers only: no access is decided here.
 */
export function proxy(request: NextRequest): NextResponse {
  const nonce = btoa(crypto.randomUUID());
  const policy = contentSecurityPolicy(nonce);
  const headers = new Headers(request.headers);
  headers.set("x-nonce", nonce);
  headers.set("content-security-policy", policy);
  // Where a visitor comes back to after signing in.
  headers.set("x-turnpike-path", request.nextUrl.pathname + request.nextUrl.search);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set("content-security-policy", policy);
  return response;
}

export const config = { matcher: "/((?!api/|_next/static/|_next/image).*)" };

function contentSecurityPolicy(nonce: string): string {
  const isDevelopment = process.env.NODE_ENV === "development";
  // Stripe's card form comes only where its key is set; the sandbox's test cards need none of it.
  const stripe = process.env.STRIPE_PUBLISHABLE_KEY
    ? {
        api: " https://api.stripe.com",
        frames: ["frame-src https://js.stripe.com https://hooks.stripe.com"],
      }
    : { api: "", frames: [] };
  return [
    "default-src 'none'",
    // React evaluates text for its stack traces, and the bundler injects styles, while developing only.
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${isDevelopment ? " 'unsafe-eval'" : ""}`,
    `style-src 'self' ${isDevelopment ? "'unsafe-inline'" : `'nonce-${nonce}'`}`,
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self'${stripe.api}`,
    ...stripe.frames,
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "object-src 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
