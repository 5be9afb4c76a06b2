import { paidIn } from "@/lib/console/paid-in.ts";
import { DURATIONS } from "../delegations/limit-fields.tsx";
import { moneyText } from "../ui/values/money-text.ts";
import { AUTOMATIC, type MintTerms, type MintValues, mustSign, NEW } from "./mint-values.ts";

const CENTS = 2;

/** The agents to choose from; a single one is recommended. */
export const agentOptions = (agents: MintTerms["agents"]) =>
  agents.map(({ agentId, name }) => ({
    value: agentId,
    label: name,
    ...(agents.length === 1 && { detail: "Recommended: the token works for this agent only." }),
  }));

/** The delegations to choose from: the existing ones, a new one, and one the service creates. */
export function delegationOptions(
  terms: MintTerms,
  values: Pick<MintValues, "limit" | "durationSecs">,
) {
  const { delegations, isFree, isSandbox } = terms;
  const code = paidIn(terms.currency, { isFiat: terms.isCard }).toUpperCase();
  const known = delegations.map(({ delegationId, name, leftCents }) => ({
    value: delegationId,
    label: `Use “${name}”`,
    aside: `${moneyText(leftCents, CENTS, code)} left`,
  }));
  const fresh = {
    value: NEW,
    label: newText(values, code),
    detail: "What agents can spend on this plan when your credits run out.",
  };
  const paid = isSandbox
    ? `Up to 10.00 ${code} for this plan, within one day.`
    : "One more order of this plan, within one day.";
  const automatic = {
    value: AUTOMATIC,
    label: "Automatic",
    detail: isFree ? "Uses your credits and spends nothing." : paid,
  };
  return [...known, ...(isFree ? [] : [fresh]), ...(mustSign(terms) ? [] : [automatic])];
}

/** `New: 20.00 USD for 7 days`. */
function newText(
  { limit, durationSecs }: Pick<MintValues, "limit" | "durationSecs">,
  code: string,
): string {
  const duration = DURATIONS.find(({ value }) => value === String(durationSecs))?.label ?? "…";
  return `New: ${limit || "…"} ${code} for ${duration}`;
}
