import { AgentChecks } from "@/components/agents/agent-checks.tsx";
import { readOwnAgent } from "../read-agent.ts";

export const metadata = { title: "Checks of an agent" };

export default async function AgentChecksPage({
  params,
}: {
  params: Promise<{ agentId: string }>;
}) {
  const { agentId, plans, metadata: about } = await readOwnAgent((await params).agentId);
  const needsLogin = about.agent.authType !== "NONE";
  return <AgentChecks agent={{ agentId, name: about.main.name, planIds: plans, needsLogin }} />;
}
