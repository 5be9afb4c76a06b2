import type { NextRequest } from "next/server";
import { z } from "zod";
import { streamWork } from "@/app/_session/stream-work.ts";
import type { CheckEvent } from "@/components/agents/agent-types.ts";
import { checkEndpoint } from "@/lib/server/agents/check-agent.ts";

const Input = z.object({
  verb: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]),
  url: z
    .url({ protocol: /^https?$/, error: "Give a whole address, https:// or http://." })
    .max(4096),
  sample: z.string().max(100_000).optional(),
});

/** Runs the unpaid checks against any address, and tells each as it ends. Nothing can be charged. */
export async function POST(request: NextRequest): Promise<Response> {
  return streamWork<typeof Input, CheckEvent>(request, Input, (prober, input) =>
    checkEndpoint(prober, {
      verb: input.verb,
      url: input.url,
      ...(input.sample !== undefined && { sample: input.sample }),
    }),
  );
}
