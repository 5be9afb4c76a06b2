import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { styleText } from "node:util";
import { type PaymentOffer, PaymentsError, planIdOf } from "@turnpike/payments/protocol";
import { createOutbound } from "../lib/adapters/outbound/outbound.ts";
import { type Examination, examineEndpoint } from "../lib/probe/doctor/examine-endpoint.ts";
import { junitOf } from "../lib/probe/report/junit.ts";
import {
  countFindings,
  creditsText,
  type DoctorFinding,
  type DoctorReport,
  jsonOf,
  sortFindings,
  summarizeReport,
} from "../lib/probe/report/report.ts";
import { findSandboxFile } from "../lib/sandbox/sandbox-file.ts";
import { readEnv } from "../lib/server/env.ts";
import { loadDotEnv } from "../lib/server/settings/load-settings.ts";
import { openService } from "./doctor-service.ts";

export type Options = {
  method: string;
  body?: string;
  service?: string;
  json: boolean;
  junit?: string;
  paid: boolean;
  maxCredits?: bigint;
  plan?: string;
};

/** The status of wrong usage. */
const USAGE = 2;

/** Checks the endpoint and prints the report; returns the status to exit with. */
export async function runDoctor(url: string, options: Options): Promise<number> {
  const { method: verb, body, maxCredits } = options;
  const apiKey = process.env.TURNPIKE_API_KEY || undefined;
  const stopped = new AbortController();
  // Clean up first: revoke tokens and clear the fault.
  process.once("SIGINT", () => stopped.abort());
  try {
    const baseUrl = options.service ?? (await findService());
    const { call, registered, payer, whyElsewhere } = await openService({ baseUrl, apiKey });
    const report = await examine(
      {
        prober: {
          outbound: createOutbound({
            policy: { allowsHttp: true, loopback: { allows: "all", except: new Set() } },
            userAgent: "Turnpike doctor",
          }),
          ports: registered,
          account: payer?.account ?? "anonymous",
          signal: stopped.signal,
        },
        endpoint: { verb, url, ...(body !== undefined && { sample: body }) },
        call,
        payer,
        consent:
          options.paid && maxCredits !== undefined
            ? { maxCredits, ...consentTo(options.plan, whyElsewhere) }
            : null,
      },
      options,
    );
    if (options.json) process.stdout.write(jsonOf(report));
    else printReport(report);
    if (options.junit) await writeFile(options.junit, junitOf(report));
    return countFindings(report.findings).error > 0 ? 1 : 0;
  } catch (cause) {
    if (!PaymentsError.is(cause)) throw cause;
    process.stderr.write(`${cause.message}${cause.hint ? ` ${cause.hint}` : ""}\n`);
    return USAGE;
  }
}

/** The plan that was named, or else one that is known to be sold at the URL. */
function consentTo(
  plan: string | undefined,
  whyElsewhere: Awaited<ReturnType<typeof openService>>["whyElsewhere"],
) {
  if (plan !== undefined) return { planId: plan };
  return {
    planId: null,
    async whyElsewhere(offer: PaymentOffer, url: string) {
      const planId = planIdOf(offer) ?? "";
      const why = await whyElsewhere({ planId, agentId: offer.extra?.agentId }, url);
      return why && `${why} If it may use credits of this plan, pass --plan ${planId}.`;
    },
  };
}

async function examine(given: Examination, { json }: Options): Promise<DoctorReport> {
  for await (const event of examineEndpoint(given)) {
    if (event.type === "end") return event.report;
    if (!json) process.stderr.write(`${event.done + 1} of ${event.of}  ${event.words}\n`);
  }
  throw new PaymentsError("internal", "The checks ended without a report.");
}

async function findService(): Promise<string> {
  loadDotEnv();
  const path = join(readEnv(process.env).dataDir, "sandbox.json");
  return (await findSandboxFile(path))?.url ?? "http://localhost:3000";
}

function printReport(report: DoctorReport): void {
  const { findings, paid, quote, verb, url } = report;
  const write = (line = "") => process.stdout.write(`${line}\n`);
  write();
  for (const finding of sortFindings(findings)) {
    const { id, title, sentence, state, asked, came, fix } = finding;
    write(`  ${markOf(finding)} ${id}  ${paint("bold", title)}  ${paint("dim", sentence)}`);
    if (state !== "fail") continue;
    if (asked) write(`         request:  ${asked}`);
    if (came) write(`         response: ${came}`);
    if (fix) write(`         fix:      ${fix}`);
  }
  write();
  write(`  ${paint("bold", summarizeReport(report))}  ${verb} ${url}`);
  if (paid) {
    const { creditsUsed, maxCredits, planName } = paid;
    write(`  ${creditsText(creditsUsed)} of "${planName}" used, of at most ${maxCredits}.`);
  } else if (quote.isPossible) {
    write(`  Paid checks would use up to ${creditsText(quote.upTo)} of "${quote.planName}".`);
  }
  write();
}

const hasColour = process.stdout.isTTY === true && process.stdout.hasColors();
const paint = (style: Parameters<typeof styleText>[0], text: string): string =>
  hasColour ? styleText(style, text) : text;

function markOf({ state, severity }: DoctorFinding): string {
  if (state === "pass") return paint("green", "ok     ");
  if (state === "skip") return paint("dim", "skipped");
  if (severity === "error") return paint("red", "ERROR  ");
  return severity === "warning" ? paint("yellow", "warning") : paint("blue", "note   ");
}
