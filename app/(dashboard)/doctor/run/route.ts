import { Uint256 } from "@turnpike/payments/protocol";
import type { NextRequest } from "next/server";
import { z } from "zod";
import { streamWork } from "@/app/_session/stream-work.ts";
import { examineEndpoint } from "@/lib/probe/doctor/examine-endpoint.ts";
import type { CallService } from "@/lib/probe/doctor/payer.ts";
import type { DoctorEvent } from "@/lib/probe/report/report.ts";
import { performAs } from "@/lib/server/pipeline/perform-as.ts";
import { getRunning } from "@/lib/server/running.ts";

const Input = z.object({
  verb: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]),
  url: z
    .url({ protocol: /^https?$/, error: "Enter the full URL, starting with https:// or http://." })
    .max(4096),
  sample: z.string().max(100_000).optional(),
  /** The cost the user agreed to. Without it nothing can be charged. */
  paid: z.object({ planId: z.string().max(78), maxCredits: Uint256 }).optional(),
});

/** Runs the checks against any URL and streams each step. Paid checks need the consent of the signed-in account. */
export async function POST(request: NextRequest): Promise<Response> {
  return streamWork<typeof Input, DoctorEvent>(
    request,
    { name: "examineEndpoint", input: Input },
    async function* (prober, input) {
      const { ports, pipeline } = await getRunning();
      const caller = { account: prober.account, keyId: null, isOperator: false };
      const call: CallService = (name, given) => performAs(pipeline, { caller }, name, given);
      const { verb, url, sample, paid } = input;
      yield* examineEndpoint({
        prober,
        endpoint: { verb, url, ...(sample !== undefined && { sample }) },
        call,
        payer: {
          account: caller.account,
          isSandbox: ports.environment === "sandbox",
          call,
        },
        consent: paid ? { planId: paid.planId, maxCredits: BigInt(paid.maxCredits) } : null,
      });
    },
  );
}
