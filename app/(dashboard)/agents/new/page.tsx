import { requireSession } from "@/app/_session/session.ts";
import { RegisterAgent } from "@/components/agents/register/register-agent.tsx";
import type { Searched } from "@/components/search-params.ts";
import { getRunning } from "@/lib/server/running.ts";
import { registerAgent } from "../actions.ts";
import { readPlanChoices } from "../read-plan-choices.ts";

export const metadata = { title: "Register an agent" };

export default async function NewAgentPage({
  searchParams,
}: Searched<{ plan?: string | string[] }>) {
  const { account } = await requireSession();
  const { plan } = await searchParams;
  const { env } = await getRunning();
  return (
    <RegisterAgent
      account={account.address}
      plans={(await readPlanChoices()).filter(({ isArchived }) => !isArchived)}
      isSandbox={env.environment === "sandbox"}
      registerAgent={registerAgent}
      {...(typeof plan === "string" && { planId: plan })}
    />
  );
}
