import { AgentId, HttpVerb } from "@turnpike/payments/protocol";
import type { NextRequest } from "next/server";
import { z } from "zod";
import { streamWork } from "@/app/_session/stream-work.ts";
import { AgentAccess } from "@/lib/probe/agent-access.ts";
import { probeEndpoints } from "@/lib/probe/probe-endpoints.ts";
import type { ProbeEvent } from "@/lib/probe/report/probe.ts";

const Input = z.object({
  access: AgentAccess.optional(),
  agentId: z.optional(AgentId),
  endpoints: z
    .array(
      z.object({
        verb: HttpVerb,
        url: z.string().min(1).max(2048),
        values: z.record(z.string().max(100), z.string().max(200)).optional(),
        sample: z.string().max(20_000).optional(),
        isStream: z.boolean().optional(),
      }),
    )
    .max(100),
});

/** Calls endpoints without a token, five at a time, and streams each result. */
export const POST = (request: NextRequest): Promise<Response> =>
  streamWork<typeof Input, ProbeEvent>(
    request,
    { name: "probeEndpoints", input: Input, isTest: true },
    (prober, { access, agentId, endpoints }) =>
      probeEndpoints(
        { ...prober, ...(access && { access }), ...(agentId && { agentId }) },
        endpoints,
      ),
  );
