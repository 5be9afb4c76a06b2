import "server-only";
import type { Ports } from "@/lib/domain/ports.ts";
import type { DoctorRun } from "@/lib/domain/records.ts";
import type { CheckEvent, Finding } from "../report/probe.ts";
import { countFindings, type DoctorReport } from "../report/report.ts";

/** Keeps what a run found beside the account's own agent that has the endpoint, for its public page. */
export async function noteDoctorRun(
  { agents }: Pick<Ports, "agents">,
  account: string,
  { verb, url, checkedAt: at, findings }: DoctorReport,
): Promise<void> {
  const agent = await agents.findByEndpoint(account, [{ verb, url }]);
  if (!agent) return;
  const { passed, skipped } = countFindings(findings);
  await agents.setDoctorRun(agent.agentId, { at, passed, checks: findings.length - skipped });
}

/** Passes the events of an agent's checks on, and notes what they found once they are complete. */
export async function* noteChecks(
  events: AsyncIterable<CheckEvent>,
  note: (run: Omit<DoctorRun, "at">) => Promise<unknown>,
): AsyncGenerator<CheckEvent> {
  const findings: Finding[] = [];
  for await (const event of events) {
    if (event.type === "endpoint") findings.push(...event.probe.findings);
    if (event.type === "agent") {
      findings.push(...event.findings);
      const passed = findings.filter(({ state }) => state === "pass").length;
      await note({ passed, checks: findings.length });
    }
    yield event;
  }
}
