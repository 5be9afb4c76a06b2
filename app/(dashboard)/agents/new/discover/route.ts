import type { NextRequest } from "next/server";
import { z } from "zod";
import { streamWork } from "@/app/_session/stream-work.ts";
import { AgentAccess } from "@/lib/probe/agent-access.ts";
import { discoverAgent } from "@/lib/probe/discover-agent.ts";
import type { DiscoveryEvent } from "@/lib/probe/report/discovery.ts";
import { testOutbound } from "@/lib/server/outbound/note-test-calls.ts";
import { getRunning } from "@/lib/server/running.ts";

const Input = z.object({ url: z.string().min(1).max(2048), access: AgentAccess.optional() });

/** Looks for an agent's definition at a URL, and streams each path it tries. */
export const POST = (request: NextRequest): Promise<Response> =>
  streamWork<typeof Input, DiscoveryEvent>(
    request,
    { name: "discoverAgent", input: Input },
    async function* (prober, { url, access }) {
      const outbound = testOutbound(prober.outbound, (await getRunning()).ports);
      yield* discoverAgent({ ...prober, outbound, ...(access && { access }) }, url);
    },
  );
