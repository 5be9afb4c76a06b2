import { finishOnboarding, ONBOARDING_PATH, type Onboarding } from "./accounts.ts";
import type { ApiRequest, ApiResponse } from "./answer-request.ts";
import { parseForm } from "./form-body.ts";
import type { Act } from "./holder-page.ts";
import { hostedPage } from "./holder-page.ts";

const CHOICES: Record<Onboarding, string> = {
  complete: "Provide everything",
  "document-later": "Send the identity document later",
  "closed-bank": "Provide everything, with a closed bank account",
};

/** The hosted page of an account link, where a builder enters who they are and their bank. Null for other paths. */
export function answerOnboarding(act: Act, request: ApiRequest): ApiResponse | null {
  if (!request.path.startsWith(ONBOARDING_PATH)) return null;
  const linkId = request.path.slice(ONBOARDING_PATH.length);
  const link = act(({ work, now }) => {
    const found = work.find("connect_record", linkId);
    return found && { ...found, isExpired: now > (found.expiresAt ?? 0) };
  });
  if (!link?.account || !link.returnUrl || !link.refreshUrl) {
    return hostedPage(404, "Test onboarding", "<p>This link does not exist.</p>");
  }
  if (link.isExpired) return redirect(link.refreshUrl);
  if (request.method !== "POST") return hostedPage(200, "Test onboarding", QUESTION);
  const { account, returnUrl } = link;
  const answer = String(parseForm(request.body).answer ?? "");
  if (isOnboarding(answer)) act((scope) => void finishOnboarding(scope, account, answer));
  return redirect(returnUrl);
}

const isOnboarding = (answer: string): answer is Onboarding => Object.hasOwn(CHOICES, answer);

const redirect = (location: string): ApiResponse => ({
  status: 303,
  body: "",
  headers: { location },
});

const QUESTION = `<p>In live mode, Stripe asks for your identity and bank account here. Pick a test outcome to continue.</p>
<form method="post">${Object.entries(CHOICES)
  .map(([value, label]) => `<p><button name="answer" value="${value}">${label}</button></p>`)
  .join("")}<p><button name="answer" value="">Return without saving</button></p></form>`;
