import { read } from "@/app/_session/operations.ts";
import { AgentChecks } from "@/components/agents/agent-checks.tsx";
import { CheckSchedule } from "@/components/agents/check-schedule.tsx";
import type { Routed } from "@/components/search-params.ts";
import { setCheckSchedule } from "../../actions.ts";
import { readOwnAgent } from "../read-agent.ts";

export const metadata = { title: "Agent checks" };

export default async function AgentChecksPage({ params }: Routed<"agentId">) {
  const { agentId, plans, metadata: about } = await readOwnAgent((await params).agentId);
  const needsLogin = about.agent.authType !== "NONE";
  const schedule = await read("getCheckSchedule", { agentId });
  return (
    <>
      <AgentChecks
        agent={{ agentId, name: about.main.name, planIds: plans, needsLogin }}
        isChecked={Boolean(schedule.last)}
      />
      <CheckSchedule agentId={agentId} schedule={schedule} setSchedule={setCheckSchedule} />
    </>
  );
}
