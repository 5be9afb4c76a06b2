import { type ParsedInputOf, PaymentsError } from "@turnpike/payments/protocol";

type Changes<Name extends Changing, Of extends string> = Record<
  Exclude<keyof ParsedInputOf<Name>, Of>,
  true | "emptied"
>;
type Changing = keyof typeof FIELDS;

/** What a change may name, beside what it is of. An empty object is a change where it empties what was set. */
const FIELDS = {
  updateAgent: { metadataAttributes: true, agentApiAttributes: true },
  updatePlan: {
    metadataAttributes: true,
    priceConfig: true,
    creditsConfig: true,
    isTrialPlan: true,
    state: true,
    redeemers: true,
  },
  updateWebhookEndpoint: { url: true, events: true, status: true },
  updateAlertRule: { threshold: true, channels: true, isOn: true },
  setBudgets: { currency: true, limits: true, allow: "emptied", approval: "emptied" },
  setDelegationBudgets: { limits: true, allow: "emptied", approval: "emptied" },
} as const;
FIELDS.updateAgent satisfies Changes<"updateAgent", "agentId">;
FIELDS.updatePlan satisfies Changes<"updatePlan", "planId" | "planVersion">;
FIELDS.updateWebhookEndpoint satisfies Changes<"updateWebhookEndpoint", "endpointId">;
FIELDS.updateAlertRule satisfies Changes<"updateAlertRule", "ruleId">;
FIELDS.setBudgets satisfies Changes<"setBudgets", never>;
FIELDS.setDelegationBudgets satisfies Changes<"setDelegationBudgets", "delegationId" | "currency">;

/** Refuses a change that names nothing to change, within its fields either: those may be misnamed, and are dropped as unknown. */
export function requireChange(name: Changing, input: object): void {
  const given = new Map<string, unknown>(Object.entries(input));
  const kinds: [string, true | "emptied"][] = Object.entries(FIELDS[name]);
  const fields = kinds.map(([field]) => field);
  if (kinds.some(([field, kind]) => isChange(given.get(field), kind))) return;
  const known = fields.map((field) => `\`${field}\``).join(", ");
  const message = `The request has no field to change. Send at least one of ${known}.`;
  throw new PaymentsError("invalid_input", message, {
    hint: "Compare your field names with the API reference; unknown ones are ignored.",
    details: fields.map((path) => ({ path, message: "Not given." })),
  });
}

/** An empty list is a change, and an object without a known field is none. */
const isChange = (value: unknown, kind: true | "emptied" = true): boolean =>
  value instanceof Object && !Array.isArray(value) && kind !== "emptied"
    ? Object.values(value).some((each) => isChange(each))
    : value !== undefined;
