import { Uint256 } from "@turnpike/payments/protocol";
import type { NextRequest } from "next/server";
import { z } from "zod";
import { streamWork } from "@/app/_session/stream-work.ts";
import { examineEndpoint } from "@/lib/probe/doctor/examine-endpoint.ts";
import { noteDoctorRun } from "@/lib/probe/doctor/note-run.ts";
import type { DoctorEvent } from "@/lib/probe/report/report.ts";
import { testOutbound } from "@/lib/server/http/note-test-calls.ts";
import { openRunCaller } from "@/lib/server/identity/run-payer.ts";
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

/**
 * Runs the checks against any URL and streams each step. Paid checks need the consent of the signed-in account; in the
 * sandbox its test customer pays.
 */
export async function POST(request: NextRequest): Promise<Response> {
  return streamWork<typeof Input, DoctorEvent>(
    request,
    { name: "examineEndpoint", input: Input },
    async function* (prober, input) {
      const running = await getRunning();
      const { ports } = running;
      const isSandbox = ports.environment === "sandbox";
      const person = { account: prober.account, keyId: null, isOperator: false };
      const { account, call, order } = await openRunCaller(
        running,
        person,
        isSandbox ? "test" : "own",
      );
      const { verb, url, sample, paid } = input;
      const events = examineEndpoint({
        prober: { ...prober, outbound: testOutbound(prober.outbound, ports) },
        endpoint: { verb, url, ...(sample !== undefined && { sample }) },
        call,
        payer: {
          ...{ account, isSandbox, call },
          ...(isSandbox && { order: (planId: string) => order({ planId }) }),
        },
        consent: paid ? { planId: paid.planId, maxCredits: BigInt(paid.maxCredits) } : null,
      });
      for await (const event of events) {
        if (event.type === "end") await noteDoctorRun(ports, prober.account, event.report);
        yield event;
      }
    },
  );
}
