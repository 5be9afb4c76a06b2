import { confirmPayment, finishPayment } from "./confirm-payment.ts";
import { parseForm } from "./form-body.ts";
import { find, type Scope } from "./scope.ts";
import { finishSetup } from "./setup-intents.ts";
import { StripeFailure } from "./stripe-failure.ts";

/** Runs something outside the API, and keeps what it did. */
export type Act = <T>(work: (scope: Scope) => T) => T;

const PATH = "/holder/";

/** Where a card's holder confirms a payment or setup: what a bank's page is in real life. */
export const holderPath = (intentId: string, clientSecret: string): string =>
  `${PATH}${intentId}?client_secret=${encodeURIComponent(clientSecret)}`;

type ApiRequest = { method: string; path: string; query: string; body: string };
type Answer = { status: number; body: string; headers: Record<string, string> };

/** The stand-in bank's page: whoever knows the client secret may confirm or refuse. Null for other paths. */
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

/** Whether the intent waits for its holder. Throws for a wrong secret, as for an unknown intent. */
function waits(scope: Scope, intentId: string, secret: string): boolean {
  const kind = intentId.startsWith("seti_") ? "setup_intent" : "payment_intent";
  const intent = find(scope, kind, intentId);
  if (intent.client_secret !== secret) throw new StripeFailure(404, "invalid_request_error", "No.");
  if (intent.status === "requires_action") return true;
  const error = "last_payment_error" in intent ? intent.last_payment_error : null;
  return intent.status === "requires_payment_method" && error?.code === "authentication_required";
}

function answerBank(scope: Scope, intentId: string, isConfirmed: boolean): void {
  if (intentId.startsWith("seti_")) {
    finishSetup(scope, intentId, isConfirmed);
    return;
  }
  try {
    const intent = find(scope, "payment_intent", intentId);
    const card = intent.last_payment_error?.payment_method?.id;
    // A payment that was tried while nobody was there is tried again now that the holder is.
    if (intent.status !== "requires_action") {
      confirmPayment(scope, { ...intent, payment_method: card ?? null }, false);
    }
    finishPayment(scope, intentId, isConfirmed);
  } catch (cause) {
    // Declined after its holder confirmed: an end like any other, and kept.
    if (!(cause instanceof StripeFailure) || cause.status !== 402) throw cause;
  }
}

const page = (status: number, body: string): Answer => ({
  status,
  body: `<!doctype html><html lang="en"><meta charset="utf-8"><title>Test bank</title><meta name="viewport" content="width=device-width"><body style="font:16px system-ui;max-width:32rem;margin:3rem auto;padding:0 1rem"><h1>Test bank</h1>${body}</body></html>`,
  headers: { "content-type": "text/html; charset=utf-8", "referrer-policy": "no-referrer" },
});

const OVER = "<p>Nothing waits for you any more. You can close this page.</p>";

const QUESTION = (intentId: string, secret: string) =>
  `<p>The sandbox's bank asks: do you confirm this card?</p>
<form method="post" action="${PATH}${escaped(intentId)}"><input type="hidden" name="client_secret" value="${escaped(secret)}">
<button name="answer" value="confirm">Confirm</button> <button name="answer" value="refuse">Refuse</button></form>`;

const escaped = (text: string) => text.replaceAll(/[^\w-]/g, (char) => `&#${char.charCodeAt(0)};`);
