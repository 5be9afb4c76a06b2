import type { CheckSchedule, DoctorSummary } from "@/lib/console/market-facts.ts";
import { auditNote } from "../context.ts";
import type { AgentRecord, DoctorRun } from "../records.ts";
import type { Verb } from "../verb.ts";
import { getOwnAgent } from "./agents.ts";

const DAY_MS = 86_400_000;

/** Whether the caller's agent is checked once a day, and what its last checks found. */
export const getCheckSchedule: Verb<"getCheckSchedule"> = async (context, { agentId }) => {
  return scheduleAnswer(await getOwnAgent(context, agentId));
};

/** Switches the daily check of the caller's agent on or off. */
export const setCheckSchedule: Verb<"setCheckSchedule"> = async (context, { agentId, isOn }) => {
  const agent = await getOwnAgent(context, agentId);
  const { agents, clock } = context.ports;
  if (isOn === (agent.checkDueAt !== null)) return scheduleAnswer(agent);
  const checkDueAt = isOn ? nextCheck(agentId, await clock.now()) : null;
  const note = auditNote(context, isOn ? "agent.checks-on" : "agent.checks-off", agentId);
  await agents.scheduleCheck(agentId, checkDueAt, note);
  return scheduleAnswer({ ...agent, checkDueAt });
};

/** The next time of day that is the agent's own: ids are random, so that checks are spread over the day. */
export function nextCheck(agentId: string, after: Date): Date {
  const slot = Number(BigInt(agentId) % BigInt(DAY_MS));
  const day = Math.floor((after.getTime() - slot) / DAY_MS) + 1;
  return new Date(day * DAY_MS + slot);
}

/** Whether a check is due for the first time that day: one whose lease ended without a result is due off its slot. */
export const isFirstTry = (agentId: string, dueAt: Date): boolean =>
  nextCheck(agentId, new Date(dueAt.getTime() - 1)).getTime() === dueAt.getTime();

/** What everyone may read of a run. */
export const doctorSummary = ({ at, passed, checks }: DoctorRun): DoctorSummary => ({
  at,
  passed,
  checks,
});

const scheduleAnswer = ({ checkDueAt, archivedAt, doctorRun }: AgentRecord): CheckSchedule => ({
  isOn: checkDueAt !== null,
  ...(checkDueAt && !archivedAt && { nextAt: checkDueAt.toISOString() }),
  ...(doctorRun && { last: doctorSummary(doctorRun) }),
});
