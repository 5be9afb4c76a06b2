import { Uint256 } from "@turnpike/payments/protocol";
import type { NextRequest } from "next/server";
import { z } from "zod";
import { streamWork } from "@/app/_session/stream-work.ts";
import type { Caller } from "@/lib/domain/context.ts";
import { type Examination, examineEndpoint } from "@/lib/probe/doctor/examine-endpoint.ts";
import { noteDoctorRun } from "@/lib/probe/doctor/note-run.ts";
import type { CallService } from "@/lib/probe/doctor/payer.ts";
import type { DoctorEvent } from "@/lib/probe/report/report.ts";
import { openRunCaller } from "@/lib/server/identity/run-payer.ts";
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

/** What the free checks of one run send, about. */
const REQUESTS_OF_A_RUN = 30;

/**
 * Runs the checks against any URL and streams each step; the free ones without an account too. Paid checks need the
 * consent of the signed-in account; in the sandbox its test customer pays.
 */
export async function POST(request: NextRequest): Promise<Response> {
  return streamWork<typeof Input, DoctorEvent>(
    request,
    {
      name: "examineEndpoint",
      input: Input,
      isTest: true,
      visitorPoints: REQUESTS_OF_A_RUN,
    },
    async function* ({ caller, ...prober }, input) {
      const { ports } = await getRunning();
      const { verb, url, sample, paid } = input;
      const events = examineEndpoint({
        prober,
        endpoint: { verb, url, ...(sample !== undefined && { sample }) },
        ...(await openPayer(caller)),
        consent:
          caller && paid ? { planId: paid.planId, maxCredits: BigInt(paid.maxCredits) } : null,
      });
      for await (const event of events) {
        if (caller && event.type === "end") await noteDoctorRun(ports, caller.account, event);
        yield event;
      }
    },
  );
}

/** Who pays for paid checks, and calls the service: no one for a visitor. */
async function openPayer(person: Caller | null): Promise<Pick<Examination, "call" | "payer">> {
  const running = await getRunning();
  if (!person) {
    const call: CallService = (name, input) =>
      performAs(running.pipeline, { caller: null }, name, input);
    return { call, payer: null };
  }
  const isSandbox = running.ports.environment === "sandbox";
  const { account, call, order } = await openRunCaller(running, person, isSandbox ? "test" : "own");
  const payer = {
    ...{ account, isSandbox, call },
    ...(isSandbox && { order: (planId: string) => order({ planId }) }),
  };
  return { call, payer };
}
