import type { MoneyStatus, RequestRecord } from "@turnpike/payments/protocol";
import { plural } from "@/lib/text/plural.ts";
import { worthValues } from "../credits-worth.ts";
import type { Exchange } from "../exchange.ts";
import { fact } from "../run.ts";
import type { Permission } from "./choose-permission.ts";
import type { StepContext, StepEnd } from "./step.ts";

const LOOK_FOR_MS = 30_000;
const LOOK_EVERY_MS = 1_500;

/** The response to the request that carried the token. */
export type PaidAnswer = { exchange: Exchange; agentRequestId: string | null };

type Given = { permission: Permission; paid: PaidAnswer };

/** Looks for a settlement that the response did not carry: by request id, for half a minute. */
export async function findSettlement(
  context: StepContext,
  { permission, paid: { exchange, agentRequestId } }: Given,
): Promise<StepEnd> {
  const { service, signal, onProgress, lookForMs = LOOK_FOR_MS, pause = wait } = context;
  const start = performance.now();
  for (let attempts = 1; ; attempts += 1) {
    const record = await readRecord(context, agentRequestId);
    if (record?.moneyStatus === "settled") return describeLate(context, permission, record);
    const waitedMs = performance.now() - start;
    const waited = String(Math.round(waitedMs / 1000));
    if (waitedMs >= lookForMs || signal.aborted || !agentRequestId || !service.account) {
      const status = String(exchange.answer?.status ?? "");
      const known = record?.moneyStatus ?? "not found";
      const facts = [
        fact("payment-response", "missing", false, `required with ${status}`),
        fact("getRequest", known, false, `checked ${plural(attempts, "time")}`),
        fact("agentRequestId", agentRequestId ?? "missing", null, "the same on every retry"),
      ];
      return { outcome: "delivered-unsettled", values: { status, waited }, facts, found: null };
    }
    onProgress(`Looking for the settlement (${waited} of ${lookForMs / 1000} s).`);
    await pause(LOOK_EVERY_MS);
  }
}

async function describeLate(
  { service }: StepContext,
  { plan, planId, before }: Permission,
  record: RequestRecord,
): Promise<StepEnd> {
  const current = await service.readBalance(record.planId ?? planId).catch(() => null);
  const after = current ? String(current.balance) : "?";
  const used = BigInt(record.credits);
  return {
    outcome: "settled-later",
    values: { credits: plural(used, "credit"), after, ...worthValues(plan, used) },
    changes: { credits: { before: String(before ?? ""), after } },
    found: null,
  };
}

const NOTHING_CHARGED: readonly MoneyStatus[] = ["not-charged", "refused", "free"];
const RELEASE_ATTEMPTS = 4;

/** Whether the service confirms that the reserved credits were released; false when it cannot. */
export async function wasReleased(
  context: StepContext,
  agentRequestId: string | null,
): Promise<boolean> {
  const { pause = wait } = context;
  for (let attempt = 0; attempt < RELEASE_ATTEMPTS; attempt += 1) {
    const record = await readRecord(context, agentRequestId);
    if (record && NOTHING_CHARGED.includes(record.moneyStatus)) return true;
    if (!agentRequestId || !context.service.account) return false;
    await pause(250);
  }
  return false;
}

async function readRecord(
  { service }: StepContext,
  agentRequestId: string | null,
): Promise<RequestRecord | null> {
  if (!agentRequestId || !service.account) return null;
  return service.findRequest(agentRequestId).catch(() => null);
}

const wait = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
