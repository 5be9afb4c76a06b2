import type { NextRequest } from "next/server";
import { z } from "zod";
import { streamWork } from "@/app/_session/stream-work.ts";
import { AgentAccess } from "@/lib/probe/agent-access.ts";
import { discoverAgent } from "@/lib/probe/discover-agent.ts";
import type { DiscoveryEvent } from "@/lib/probe/report/discovery.ts";

const Input = z.object({ url: z.string().min(1).max(2048), access: AgentAccess.optional() });

/** Looks for an agent's definition at a URL, and streams each path it tries. */
export const POST = (request: NextRequest): Promise<Response> =>
  streamWork<typeof Input, DiscoveryEvent>(
    request,
    { name: "discoverAgent", input: Input, isTest: true },
    (prober, { url, access }) => discoverAgent({ ...prober, ...(access && { access }) }, url),
  );
