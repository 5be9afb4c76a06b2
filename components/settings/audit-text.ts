import type { AuditEntry } from "@turnpike/payments/protocol";

/** The groups that a person filters by, with their words. */
export const AUDIT_GROUPS: Readonly<Record<string, string>> = {
  plan: "Plans",
  agent: "Agents",
  "api-key": "API keys",
  delegation: "Delegations",
  token: "Tokens",
  order: "Orders",
  refund: "Refunds",
  withdrawal: "Withdrawals",
  payout: "Payouts",
  "payment-method": "Cards",
};

/** `api-key.create` as "API key created". An action without a sentence here is shown as it is. */
export function actionText(action: string): string {
  const whole = SENTENCES[action];
  if (whole) return whole;
  const [what = "", how] = action.split(".");
  const noun = NOUNS[what] ?? sentence(what);
  return how === undefined ? noun : `${noun} ${DONE[how] ?? how.replaceAll("-", " ")}`;
}

const SENTENCES: Readonly<Record<string, string>> = {
  // The API registers a plan; people create one.
  "plan.register": "Plan created",
  "agent.checks-on": "Daily check turned on",
  "agent.checks-off": "Daily check turned off",
  "delegation.revoke-all": "All delegations revoked",
  "payment-method.default": "Default card changed",
  "payout.schedule": "Payout schedule changed",
};

const NOUNS: Readonly<Record<string, string>> = {
  "api-key": "API key",
  order: "Plan ordered",
  "top-up": "Plan ordered by a request",
  "payment-method": "Card",
};

const DONE: Readonly<Record<string, string>> = {
  add: "added",
  archive: "archived",
  create: "created",
  decline: "declined",
  delete: "deleted",
  evidence: "answered",
  link: "linked to a plan",
  mint: "minted",
  register: "registered",
  remove: "removed",
  rename: "renamed",
  request: "requested",
  restore: "restored",
  revoke: "revoked",
  rotate: "rotated",
  sign: "signed",
  unlink: "unlinked from a plan",
  update: "updated",
};

const sentence = (kebab: string) =>
  kebab.charAt(0).toUpperCase() + kebab.slice(1).replaceAll("-", " ");

/** The page of what a change was of, where it can be revoked. */
export function subjectHref({ action, subject }: Pick<AuditEntry, "action" | "subject">) {
  if (action === "token.mint") return `/tokens/${subject}`;
  return action === "delegation.create" ? `/delegations/${subject}` : undefined;
}

/** Who did it: a key by its name, someone signed in, or the service on its own. */
export function actorText(
  { keyId, address }: AuditEntry,
  keyNames: Record<string, string>,
): string {
  if (keyId) return keyNames[keyId] ?? keyId;
  return address ? "You, signed in" : "Turnpike";
}
