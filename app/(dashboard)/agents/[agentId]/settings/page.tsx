import { AgentSettings } from "@/components/agents/agent-settings.tsx";
import { updateAgent } from "../../actions.ts";
import { readOwnAgent } from "../read-agent.ts";

export const metadata = { title: "Settings of an agent" };

export default async function AgentSettingsPage({
  params,
}: {
  params: Promise<{ agentId: string }>;
}) {
  const agent = await readOwnAgent((await params).agentId);
  return <AgentSettings agent={agent} updateAgent={updateAgent} />;
}
