import { type Budgets, type BudgetsInput, toJson } from "@turnpike/payments/protocol";
import { auditNote, type Context, invalid, requireCaller } from "../context.ts";
import { getDelegationRecord } from "../delegations/delegations.ts";
import { parCurrency } from "../orders/money.ts";
import { requireChange } from "../require-change.ts";
import type { Verb } from "../verb.ts";
import type { BudgetScope, LimitUse } from "./budget-ports.ts";
import type { BudgetsDocument } from "./budget-records.ts";

/** How much of a period must be over before its use says anything about the rest. */
const FORECAST_AFTER = 0.25;

/** The budgets of the caller's account and their use. */
export function getBudgets(context: Context): Promise<Budgets> {
  return read(context, ofAccount(context));
}

/** Sets the budgets of the caller's account that the input names. */
export const setBudgets: Verb<"setBudgets"> = async (context, input) => {
  requireChange("setBudgets", input);
  return write(context, ofAccount(context), input, (known) => {
    const currency = parCurrency(input.currency ?? known?.currency ?? "usd");
    if (known && known.currency !== currency) requireNoAmounts(known, input);
    return documentOf(currency, input, known);
  });
};

/** The budgets of one of the caller's delegations and their use. */
export const getDelegationBudgets: Verb<"getDelegationBudgets"> = async (
  context,
  { delegationId },
) => {
  return read(context, await ofDelegation(context, delegationId));
};

/** Sets the budgets of one of the caller's delegations that the input names. */
export const setDelegationBudgets: Verb<"setDelegationBudgets"> = async (
  context,
  { delegationId, ...input },
) => {
  requireChange("setDelegationBudgets", input);
  const scope = await ofDelegation(context, delegationId);
  return write(context, scope, input, (known) => documentOf(scope.currency, input, known));
};

type Scope = BudgetScope & { currency: string };

function ofAccount(context: Context): Scope {
  const { account } = requireCaller(context);
  return { scope: account, account, currency: "usd" };
}

async function ofDelegation(context: Context, delegationId: string): Promise<Scope> {
  const { account, currency } = await getDelegationRecord(context, delegationId);
  return { scope: delegationId, account, currency: parCurrency(currency) };
}

/** Refuses another currency for amounts that the input leaves as they are. */
function requireNoAmounts(known: BudgetsDocument, { limits, approval }: BudgetsInput): void {
  const keepsLimit = !limits && known.limits.some(({ unit }) => unit === "money");
  if (!keepsLimit && (approval !== undefined || known.approval?.above === undefined)) return;
  const message = `Your budgets have amounts in ${known.currency.toUpperCase()}. Send \`limits\` and \`approval\` with the new currency.`;
  throw invalid("currency", message);
}

async function write(
  context: Context,
  scope: Scope,
  input: BudgetsInput,
  change: (known?: BudgetsDocument) => BudgetsDocument | null,
): Promise<Budgets> {
  requireDifferent(input.limits ?? []);
  await requireAgents(context, input);
  const action = scope.scope === scope.account ? "budgets.set" : "delegation.budgets.set";
  await context.ports.budgets.set(scope, change, auditNote(context, action, scope.scope));
  return read(context, scope);
}

/** Refuses a second limit of the same period and unit for the same builder, agent or everyone: only the lower one counts. */
function requireDifferent(limits: NonNullable<BudgetsInput["limits"]>): void {
  const seen = new Set<string>();
  for (const [index, { period, unit, builder, agentId }] of limits.entries()) {
    const key = JSON.stringify([period, unit, builder, agentId]);
    if (seen.has(key))
      throw invalid(`limits.${index}`, "This limit is listed twice. Keep one of the two.");
    seen.add(key);
  }
}

/** Refuses ids of agents that do not exist: a mistyped one would let no call be paid, or limit none. */
async function requireAgents(
  { ports }: Context,
  { limits = [], allow }: BudgetsInput,
): Promise<void> {
  const named = [
    ...limits.map(({ agentId }, index) => ({ agentId, path: `limits.${index}.agentId` })),
    ...(allow?.agents ?? []).map((agentId, index) => ({ agentId, path: `allow.agents.${index}` })),
  ];
  for (const { agentId, path } of named) {
    if (agentId === undefined || (await ports.agents.find(agentId))) continue;
    throw invalid(path, `No agent has the ID “${agentId}”.`);
  }
}

/** The budgets as stored: what the input leaves out is as it was. Null when they say nothing. */
function documentOf(
  currency: string,
  input: BudgetsInput,
  known?: BudgetsDocument,
): BudgetsDocument | null {
  const limits = input.limits ?? known?.limits ?? [];
  const allow = filled(input.allow ?? known?.allow);
  const approval = filled(input.approval ?? known?.approval);
  if (limits.length === 0 && !allow && !approval) return null;
  // Through JSON, which leaves out what is undefined and writes amounts as texts.
  return JSON.parse(toJson({ currency, limits, allow, approval })) as BudgetsDocument;
}

const filled = <T extends object>(value: T | undefined): T | undefined =>
  value && Object.keys(value).length > 0 ? value : undefined;

async function read({ ports }: Context, { scope, account, currency }: Scope): Promise<Budgets> {
  const found = await ports.budgets.find({ scope, account });
  const { approval, ...document } = found?.document ?? { currency, limits: [] };
  const above = approval?.above;
  const aboveCredits = approval?.aboveCredits;
  return {
    ...document,
    ...(approval && {
      approval: {
        ...approval,
        above: above === undefined ? undefined : BigInt(above),
        aboveCredits: aboveCredits === undefined ? undefined : BigInt(aboveCredits),
      },
    }),
    ...(scope !== account && { delegationId: scope }),
    limits: (found?.use ?? []).map((use) => usedLimit(use, found?.now ?? new Date(0))),
  };
}

function usedLimit(
  { used, startedAt, resetsAt, ...limit }: LimitUse,
  now: Date,
): Budgets["limits"][number] {
  if (!startedAt || !resetsAt) return { ...limit, used: used.toString() };
  const elapsed = BigInt(now.getTime() - startedAt.getTime());
  const length = BigInt(resetsAt.getTime() - startedAt.getTime());
  const isEnough = used > 0n && Number(elapsed) >= FORECAST_AFTER * Number(length);
  return {
    ...limit,
    used: used.toString(),
    startedAt: startedAt.toISOString(),
    resetsAt: resetsAt.toISOString(),
    ...(isEnough && { forecast: ((used * length) / elapsed).toString() }),
  };
}
