import type { ApiResponse } from "./answer-request.ts";
import { confirmPayment, finishPayment } from "./confirm-payment.ts";
import { parseForm } from "./form-body.ts";
import { find, type Scope } from "./scope.ts";
import { finishSetup } from "./setup-intents.ts";
import { StripeFailure } from "./stripe-failure.ts";

/** Runs work outside the API and stores its changes. */
export type Act = <T>(work: (scope: Scope) => T) => T;

const PATH = "/holder/";

/** The page where a cardholder confirms a payment or setup, in place of the bank's page. */
export const holderPath = (intentId: string, clientSecret: string): string =>
  `${PATH}${intentId}?client_secret=${encodeURIComponent(clientSecret)}`;

type ApiRequest = { method: string; path: string; query: string; body: string };
type Answer = { status: number; body: string; headers: Record<string, string> };

/** The test bank's page. Anyone with the client secret can confirm or refuse. Null for other paths. */
export function answerHolder(act: Act, request: ApiRequest): Answer | null {
  if (!request.path.startsWith(PATH)) return null;
  const intentId = request.path.slice(PATH.length);
  try {
    const form = parseForm(request.method === "POST" ? request.body : request.query);
    const secret = String(form.client_secret ?? "");
    const isWaiting = act((scope) => waits(scope, intentId, secret));
    if (request.method !== "POST") return page(200, isWaiting ? QUESTION(intentId, secret) : OVER);
    if (isWaiting) act((scope) => answerBank(scope, intentId, form.answer === "confirm"));
    return page(200, OVER);
  } catch (cause) {
    if (!(cause instanceof StripeFailure)) throw cause;
    return page(404, "<p>There is nothing to confirm here.</p>");
  }
}

/** Whether the intent waits for confirmation. Throws for a wrong secret, as for an unknown intent. */
function waits(scope: Scope, intentId: string, secret: string): boolean {
  const kind = intentId.startsWith("seti_") ? "setup_intent" : "payment_intent";
  const intent = find(scope, kind, intentId);
  if (intent.client_secret !== secret) throw new StripeFailure(404, "invalid_request_error", "No.");
  if (intent.status === "requires_action") return true;
  const error = "last_payment_error" in intent ? intent.last_payment_error : null;
  return intent.status === "requires_payment_method" && error?.code === "authentication_required";
}

/** What the cardholder answers their bank about a pending payment or setup. */
export function answerBank(scope: Scope, intentId: string, isConfirmed: boolean): void {
  if (intentId.startsWith("seti_")) {
    finishSetup(scope, intentId, isConfirmed);
    return;
  }
  try {
    const intent = find(scope, "payment_intent", intentId);
    const card = intent.last_payment_error?.payment_method?.id;
    // Retry a payment that failed because the cardholder was absent.
    if (intent.status !== "requires_action") {
      confirmPayment(scope, { ...intent, payment_method: card ?? null }, false);
    }
    finishPayment(scope, intentId, isConfirmed);
  } catch (cause) {
    // A decline after confirmation is a result, and is stored.
    if (!(cause instanceof StripeFailure) || cause.status !== 402) throw cause;
  }
}

const page = (status: number, body: string) => hostedPage(status, "Test bank", body);

const OVER = "<p>There is nothing left to confirm. You can close this page.</p>";

const QUESTION = (intentId: string, secret: string) =>
  `<p>The test bank needs your confirmation for this card.</p>
<form method="post" action="${PATH}${escaped(intentId)}"><input type="hidden" name="client_secret" value="${escaped(secret)}">
<button name="answer" value="confirm">Confirm</button> <button name="answer" value="refuse">Refuse</button></form>`;

const escaped = (text: string) => text.replaceAll(/[^\w-]/g, (char) => `&#${char.charCodeAt(0)};`);

/** A page that a person sees in place of one of Stripe's or their bank's. */
export const hostedPage = (status: number, title: string, body: string): ApiResponse => ({
  status,
  body: `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><meta name="viewport" content="width=device-width"><body style="font:16px system-ui;max-width:32rem;margin:3rem auto;padding:0 1rem"><h1>${title}</h1>${body}</body></html>`,
  headers: { "content-type": "text/html; charset=utf-8", "referrer-policy": "no-referrer" },
});
