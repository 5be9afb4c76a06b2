import { type ParsedInputOf, PaymentsError } from "@turnpike/payments/protocol";

type Changes<Name extends Changing, Of extends string> = Record<
  Exclude<keyof ParsedInputOf<Name>, Of>,
  true
>;
type Changing = keyof typeof FIELDS;

/** What a change may name, beside what it is of. */
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
} as const;
FIELDS.updateAgent satisfies Changes<"updateAgent", "agentId">;
FIELDS.updatePlan satisfies Changes<"updatePlan", "planId" | "planVersion">;
FIELDS.updateWebhookEndpoint satisfies Changes<"updateWebhookEndpoint", "endpointId">;
FIELDS.updateAlertRule satisfies Changes<"updateAlertRule", "ruleId">;

/** Refuses a change that names nothing to change, within its fields either: those may be misnamed, and are dropped as unknown. */
export function requireChange(name: Changing, input: object): void {
  const given = new Map<string, unknown>(Object.entries(input));
  const fields = Object.keys(FIELDS[name]);
  if (fields.some((field) => isChange(given.get(field)))) return;
  const known = fields.map((field) => `\`${field}\``).join(", ");
  const message = `The request has no field to change. Send at least one of ${known}.`;
  throw new PaymentsError("invalid_input", message, {
    hint: "Compare your field names with the API reference; unknown ones are ignored.",
    details: fields.map((path) => ({ path, message: "Not given." })),
  });
}

/** An empty list is a change, and an object without a known field is none. */
const isChange = (value: unknown): boolean =>
  value instanceof Object && !Array.isArray(value)
    ? Object.values(value).some(isChange)
    : value !== undefined;
