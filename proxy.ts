import { type NextRequest, NextResponse } from "next/server";

/** Where the playground opens the frame that calls an agent from the browser (ADR 76). */
const FRAME = "/playground/frame";

/**
 * Gives each page a content security policy with its own nonce. Next reads the nonce from the
 * request's header and puts it on every script it writes. Headers only: no access is decided here.
 */
export function proxy(request: NextRequest): NextResponse {
  const nonce = crypto.randomUUID();
  const { pathname, searchParams } = request.nextUrl;
  const policy =
    pathname === FRAME
      ? framePolicy(searchParams.get("origin") ?? "")
      : contentSecurityPolicy(nonce);
  const headers = new Headers(request.headers);
  headers.set("x-nonce", nonce);
  headers.set("content-security-policy", policy);
  // Where a visitor comes back to after signing in.
  headers.set("x-turnpike-path", pathname + request.nextUrl.search);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set("content-security-policy", policy);
  return response;
}

export const config = { matcher: "/((?!api/|_next/static/|_next/image).*)" };

/**
 * The policy of the playground's frame: no content and no script, only requests to one origin. A host with any other
 * character than those of host names could add a directive or a wildcard.
 */
export function framePolicy(origin: string): string {
  const isOrigin =
    /^https?:\/\/([a-z0-9-]+(\.[a-z0-9-]+)*\.?|\[[0-9a-f:]+\])(:\d{1,5})?$/.test(origin) &&
    URL.canParse(origin) &&
    new URL(origin).origin === origin;
  return [
    "default-src 'none'",
    `connect-src ${isOrigin ? origin : "'none'"}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join("; ");
}

function contentSecurityPolicy(nonce: string): string {
  const isDevelopment = process.env.NODE_ENV === "development";
  // Stripe's card form comes only where its key is set; the sandbox's test cards need none of it.
  const stripe = process.env.STRIPE_PUBLISHABLE_KEY?.trim()
    ? {
        api: " https://api.stripe.com",
        frames: " https://js.stripe.com https://hooks.stripe.com",
      }
    : { api: "", frames: "" };
  return [
    "default-src 'none'",
    // React evaluates text for its stack traces, and the bundler injects styles, while developing only.
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${isDevelopment ? " 'unsafe-eval'" : ""}`,
    `style-src 'self' ${isDevelopment ? "'unsafe-inline'" : `'nonce-${nonce}'`}`,
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self'${stripe.api}`,
    `frame-src 'self'${stripe.frames}`,
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "object-src 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
