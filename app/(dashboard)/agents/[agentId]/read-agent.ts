import "server-only";
import type { Agent } from "@turnpike/payments/protocol";
import { notFound } from "next/navigation";
import { cache } from "react";
import { readOwnOrPublic } from "@/app/_session/operations.ts";
import { readSession, requireSession } from "@/app/_session/session.ts";

/** An agent of the signed-in account, with all its plans. Null for any other, so that nothing reveals whether it exists. */
export const findOwnAgent = cache(async (agentId: string): Promise<Agent | null> => {
  const session = await readSession();
  if (!session) return null;
  const agent = await readOwnOrPublic("getAgent", { agentId });
  return agent && agent.owner === session.account.address ? agent : null;
});

/** The same for a page: visitors are sent to sign in, and an unknown agent is a 404 page. */
export async function readOwnAgent(agentId: string): Promise<Agent> {
  await requireSession();
  return (await findOwnAgent(decodeURIComponent(agentId))) ?? notFound();
}
