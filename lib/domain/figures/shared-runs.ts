import { PaymentsError, readJson } from "@turnpike/payments/protocol";
import { MAX_SHARED_RUN, SharedRun, type SharedRunSummary } from "@/lib/console/shared-run.ts";
import { type Context, invalid, requireCaller } from "../context.ts";
import type { SharedRunRecord } from "./shared-run-ports.ts";

const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
const MOST_PER_ACCOUNT = 100;

/**
 * Shares a run by a link for seven days. It is redacted here too, whatever the page did, so that no secret the service
 * can recognize is stored. Throws `invalid_input`, `payload_too_large`,
 * `conflict` when the account shares too many.
 */
export async function shareRun(context: Context, { run: text }: { run: string }) {
  const { account } = requireCaller(context);
  const { ports } = context;
  if (text.length > MAX_SHARED_RUN) {
    const most = MAX_SHARED_RUN.toLocaleString("en-US");
    throw new PaymentsError(
      "payload_too_large",
      `The run is longer than ${most} characters. Shorten its bodies.`,
    );
  }
  const { run, removed } = ports.redactRun(readRun(text));
  const createdAt = await ports.clock.now();
  const record: SharedRunRecord = {
    shareId: ports.crypto.randomId(),
    account,
    run,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + KEPT_MS),
  };
  if (!(await ports.sharedRuns.insert(record, MOST_PER_ACCOUNT))) {
    const message = `You already share ${MOST_PER_ACCOUNT} runs. Revoke a link first.`;
    throw new PaymentsError("conflict", message);
  }
  return { ...summaryOf(record), removed };
}

/** A shared run, for anyone with its id: it is random and known only to the owner and the people they gave it to. */
export async function getSharedRun(context: Context, { shareId }: { shareId: string }) {
  const { sharedRuns, clock } = context.ports;
  const record = await sharedRuns.find(shareId, await clock.now());
  if (!record) throw notShared(shareId);
  const { run, createdAt, expiresAt } = record;
  return {
    shareId,
    run,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    isYours: context.caller?.account === record.account,
  };
}

export async function listSharedRuns(context: Context) {
  const { account } = requireCaller(context);
  const { sharedRuns, clock } = context.ports;
  const records = await sharedRuns.list(account, await clock.now());
  return { items: records.map(summaryOf) };
}

/** Revokes a link at once and deletes the run. */
export async function endSharedRun(context: Context, { shareId }: { shareId: string }) {
  const { account } = requireCaller(context);
  const { sharedRuns, clock } = context.ports;
  const isTheirs = await sharedRuns.end(shareId, account, await clock.now());
  if (isTheirs) return { success: true } as const;
  throw notShared(shareId);
}

function readRun(text: string): SharedRun {
  const given = readJson(text);
  if (given === undefined) throw invalid("run", "This is not JSON.");
  const parsed = SharedRun.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalid("run", `${issue?.path.join(".") || "run"}: ${issue?.message}`);
}

const summaryOf = ({ shareId, run, createdAt, expiresAt }: SharedRunRecord): SharedRunSummary => ({
  shareId,
  method: run.input.method,
  url: run.input.url,
  money: run.money,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
});

const notShared = (shareId: string) =>
  new PaymentsError("not_found", `No such shared run: ${JSON.stringify(shareId)}.`, {
    hint: "Links expire after seven days, or when their owner revokes them.",
  });
