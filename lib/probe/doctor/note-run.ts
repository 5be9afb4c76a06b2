import "server-only";
import type { Ports } from "@/lib/domain/ports.ts";
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
