import "server-only";
import type { Ports } from "@/lib/domain/ports.ts";
import type { DoctorRun } from "@/lib/domain/records.ts";
import type { CheckEvent, Finding, ProbedOffer } from "../report/probe.ts";
import { countFindings, type DoctorEvent } from "../report/report.ts";

/** Keeps what a run found beside the account's own agent that has the endpoint, for its public page. */
export async function noteDoctorRun(
  { agents }: Pick<Ports, "agents">,
  account: string,
  { report, offers: seen }: Extract<DoctorEvent, { type: "end" }>,
): Promise<void> {
  const { verb, url, checkedAt: at, findings } = report;
  const agent = await agents.findByEndpoint(account, [{ verb, url }]);
  if (!agent) return;
  const { passed, skipped } = countFindings(findings);
  const endpoint = `${verb} ${url}`;
  const offers = seen.length > 0 ? { [endpoint]: plansIn(seen) } : {};
  const run = { at, passed, checks: findings.length - skipped, offers };
  await agents.setDoctorRun(agent.agentId, run, endpoint);
}

/** Only plans that exist: what an agent invents is not kept. */
const plansIn = (offers: readonly Pick<ProbedOffer, "planId" | "planName">[]): string[] => [
  ...new Set(offers.flatMap(({ planId, planName }) => (planId && planName !== null ? planId : []))),
];

/** Passes the events of an agent's checks on, and notes what they found once they are complete. */
export async function* noteChecks(
  events: AsyncIterable<CheckEvent>,
  note: (run: Omit<DoctorRun, "at">) => Promise<unknown>,
): AsyncGenerator<CheckEvent> {
  const findings: Finding[] = [];
  const offers: Record<string, string[]> = {};
  let endpoints: { verb: string; url: string }[] = [];
  for await (const event of events) {
    if (event.type === "start") endpoints = event.endpoints;
    if (event.type === "endpoint") {
      findings.push(...event.probe.findings);
      const endpoint = endpoints[event.index];
      const seen = event.probe.offers;
      if (endpoint && seen.length > 0) {
        offers[`${endpoint.verb} ${endpoint.url}`] = plansIn(seen);
      }
    }
    if (event.type === "agent") {
      findings.push(...event.findings);
      const passed = findings.filter(({ state }) => state === "pass").length;
      await note({ passed, checks: findings.length, offers });
    }
    yield event;
  }
}
