import { type Alert, type AlertRule, PaymentsError } from "@turnpike/payments/protocol";
import { alertKindOf, isKnownKind } from "@/lib/console/alert-kinds.ts";
import { auditNote, type Context, invalid, notFound, requireCaller } from "../context.ts";
import { pageAnswer } from "../page-answer.ts";
import { requireChange } from "../require-change.ts";
import type { Verb } from "../verb.ts";
import type { AlertRuleChanges, AlertRuleRecord, AlertView } from "./alert-ports.ts";
import { alertText } from "./alert-text.ts";
import { BUILT_IN_RULES, type BuiltInRule } from "./built-in-rules.ts";
import { requireObject } from "./rule-object.ts";

const MAX_RULES = 100;

/** A kind whose sentence has no number happens or does not: above 1 its rule would never open an alert. */
function requireThreshold(kind: string, threshold: number): void {
  if (alertKindOf(kind).after || threshold === 1) return;
  throw invalid("threshold", `The threshold of a \`${kind}\` rule must be 1.`);
}

/** Adds a rule of the caller's, or changes the one with the same kind, object and threshold. */
export const createAlertRule: Verb<"createAlertRule"> = async (
  context,
  { kind, object = "", threshold, channels, isOn },
) => {
  const { account } = requireCaller(context);
  if (object) await requireObject(context, kind, object);
  requireThreshold(kind, threshold);
  const { alerts, crypto, clock } = context.ports;
  const own = await alerts.listRules(account);
  const isSame = (rule: AlertRuleRecord) =>
    rule.kind === kind && rule.object === object && thresholdOf(rule) === threshold;
  const known = own.find(isSame);
  const ruleId = known?.ruleId ?? crypto.randomId();
  const rule: AlertRuleRecord = {
    ruleId,
    account,
    kind,
    object,
    threshold,
    ...flagsOf(channels),
    isOn,
    createdAt: await clock.now(),
  };
  const note = auditNote(context, "alert-rule.set", ruleId);
  if (known && known.threshold !== threshold)
    await alerts.updateRule(ruleId, { threshold, ...flagsOf(channels), isOn }, note);
  else if (!(await alerts.writeRules([rule], MAX_RULES, note))) throw tooMany();
  return getRule(context, (written) => isSame(written));
};

/** The caller's rules, and the built-in ones that none of them replaces. */
export async function listAlertRules(context: Context) {
  const own = await context.ports.alerts.listRules(requireCaller(context).account);
  const builtIn = BUILT_IN_RULES.filter(
    (rule) => !own.some(({ kind, object }) => kind === rule.kind && object === ""),
  );
  const known = own.filter(({ kind }) => isKnownKind(kind));
  return { items: [...known.map(ruleAnswer), ...builtIn.map(builtInAnswer)] };
}

/**
 * Changes a rule. A built-in one becomes the caller's, with the others of its kind, which would stop applying. Changes of
 * different fields at once all remain, also where the other one made it the caller's.
 */
export const updateAlertRule: Verb<"updateAlertRule"> = async (context, input) => {
  requireChange("updateAlertRule", input);
  const { ruleId, threshold, channels, isOn } = input;
  const { account } = requireCaller(context);
  const { alerts } = context.ports;
  const own = await alerts.listRules(account);
  const changes: AlertRuleChanges = {
    ...(threshold !== undefined && { threshold }),
    ...(isOn !== undefined && { isOn }),
    ...(channels && flagsOf(channels)),
  };
  const note = auditNote(context, "alert-rule.set", ruleId);
  const ofId = (rule: { ruleId: string }) => rule.ruleId === ruleId;
  const kind = (own.find(ofId) ?? BUILT_IN_RULES.find(ofId))?.kind;
  if (kind && threshold !== undefined && isKnownKind(kind)) requireThreshold(kind, threshold);
  if (own.some((rule) => rule.ruleId === ruleId)) {
    await alerts.updateRule(ruleId, changes, note);
    return getRule(context, (rule) => rule.ruleId === ruleId);
  }
  const builtIn = BUILT_IN_RULES.find((rule) => rule.ruleId === ruleId);
  const ofKind = own.filter(({ kind, object }) => kind === builtIn?.kind && object === "");
  const isGone = ofKind.length > 0 && ofKind.every((rule) => rule.threshold !== builtIn?.threshold);
  if (!builtIn || isGone) throw notFound("alert rule", ruleId);
  const taken = await takeOver(context, builtIn);
  const changed = { threshold: builtIn.threshold, changes };
  const mine = await alerts.takeOverRules(taken, MAX_RULES, changed, note);
  if (mine === null) throw tooMany();
  return getRule(context, (rule) => rule.ruleId === mine);
};

/** Removes a rule of the caller's; its alerts close. */
export const deleteAlertRule: Verb<"deleteAlertRule"> = async (context, { ruleId }) => {
  const { account } = requireCaller(context);
  await getRule(context, (rule) => rule.ruleId === ruleId, ruleId);
  const note = auditNote(context, "alert-rule.delete", ruleId);
  await context.ports.alerts.deleteRule({ account, ruleId }, note);
  return { success: true as const };
};

/** The caller's alerts, newest first. */
export const listAlerts: Verb<"listAlerts"> = async (context, query) => {
  const { account } = requireCaller(context);
  const page = await context.ports.alerts.list(account, query);
  return pageAnswer({ ...page, items: page.items.map(alertAnswer) }, query);
};

/** The built-in rules of a kind, as rules of the caller's. */
async function takeOver(context: Context, { kind }: BuiltInRule): Promise<AlertRuleRecord[]> {
  const { account } = requireCaller(context);
  const { crypto, clock } = context.ports;
  const createdAt = await clock.now();
  return BUILT_IN_RULES.filter((rule) => rule.kind === kind).map(({ threshold, email }) => ({
    ruleId: crypto.randomId(),
    account,
    kind,
    object: "",
    threshold,
    email,
    webhook: false,
    isOn: true,
    createdAt,
  }));
}

const tooMany = () =>
  new PaymentsError("conflict", `An account has at most ${MAX_RULES} alert rules.`, {
    hint: "Remove one first.",
  });

async function getRule(
  context: Context,
  isIt: (rule: AlertRuleRecord) => boolean,
  id = "",
): Promise<AlertRule> {
  const rules = await context.ports.alerts.listRules(requireCaller(context).account);
  const found = rules.find(isIt);
  if (!found) throw notFound("alert rule", id);
  return ruleAnswer(found);
}

const flagsOf = (channels: AlertRule["channels"]) => ({
  email: channels.includes("email"),
  webhook: channels.includes("webhook"),
});

const channelsOf = (email: boolean, webhook: boolean): AlertRule["channels"] => [
  ...(email ? ["email" as const] : []),
  ...(webhook ? ["webhook" as const] : []),
];

/** Earlier releases stored any threshold for what happens or does not. */
const thresholdOf = ({ kind, threshold }: Pick<AlertRuleRecord, "kind" | "threshold">): number =>
  isKnownKind(kind) && !alertKindOf(kind).after ? 1 : threshold;

const ruleAnswer = ({
  object,
  email,
  webhook,
  createdAt,
  account: _,
  ...rule
}: AlertRuleRecord): AlertRule => ({
  ...rule,
  threshold: thresholdOf(rule),
  ...(object && { object }),
  channels: channelsOf(email, webhook),
  isBuiltIn: false,
  createdAt: createdAt.toISOString(),
});

const builtInAnswer = ({ email, ...rule }: BuiltInRule): AlertRule => ({
  ...rule,
  channels: channelsOf(email, false),
  isOn: true,
  isBuiltIn: true,
});

const alertAnswer = (alert: AlertView): Alert => ({
  alertId: alert.alertId,
  ruleId: alert.ruleId,
  kind: alert.kind,
  status: alert.closedAt ? "closed" : "open",
  ...alertText(alert),
  ...(alert.object && { object: alert.object }),
  value: alert.value,
  threshold: alert.threshold,
  openedAt: alert.createdAt.toISOString(),
  ...(alert.closedAt && { closedAt: alert.closedAt.toISOString() }),
  ...(alert.mail && { email: alert.mail }),
});
