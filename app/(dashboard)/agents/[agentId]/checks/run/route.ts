import { AgentId } from "@turnpike/payments/protocol";
import type { NextRequest } from "next/server";
import { z } from "zod";
import { streamWork } from "@/app/_session/stream-work.ts";
import { AgentAccess } from "@/lib/probe/agent-access.ts";
import { checkAgent } from "@/lib/probe/check-agent.ts";
import { noteChecks } from "@/lib/probe/doctor/note-run.ts";
import type { CheckEvent } from "@/lib/probe/report/probe.ts";
import { getRunning } from "@/lib/server/running.ts";
import { findOwnAgent } from "../../read-agent.ts";

const Input = z.object({ access: AgentAccess.optional() });

/** Runs the unpaid checks of the account's own agent, streams each result and notes what they found. */
export async function POST(
  request: NextRequest,
  { params }: { params: Promise<{ agentId: string }> },
): Promise<Response> {
  const { agentId } = await params;
  const agent = AgentId.safeParse(agentId).success ? await findOwnAgent(agentId) : null;
  if (!agent) {
    const message = "Agent not found.";
    return Response.json({ code: "not_found", message, httpStatus: 404 }, { status: 404 });
  }
  return streamWork<typeof Input, CheckEvent>(
    request,
    { name: "checkAgent", input: Input, isTest: true },
    async function* (given, { access }) {
      const { ports } = await getRunning();
      const prober = { ...given, agentId, ...(access && { access }) };
      yield* noteChecks(checkAgent(prober, agent), async (run) => {
        const at = (await ports.clock.now()).toISOString();
        await ports.agents.setDoctorRun(agentId, { at, ...run });
      });
    },
  );
}
