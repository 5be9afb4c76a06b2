import type { Environment } from "@turnpike/payments/protocol";
import type { Database } from "@/lib/adapters/db/client.ts";
import { readRealTime } from "@/lib/adapters/db/clock.ts";
import type { Log } from "@/lib/domain/ports.ts";
import type { Rail } from "@/lib/domain/rails/rail.ts";
import { within } from "@/lib/domain/within.ts";
import { describeCause } from "../watch/error-text.ts";

type Facts = Record<string, string | number>;
type Check = { ok: boolean; ms: number; error?: string; degraded?: string; facts?: Facts };
/** `cause` is for the log: it may hold an address or a user name. */
type Checked = { check: Check; cause?: unknown };
export type Health = {
  /** Whether everything works; false also when degraded. */
  ok: boolean;
  /** `degraded`: requests are served, with the limits that `checks` name. `down`: they are not. */
  status: "ok" | "degraded" | "down";
  environment: Environment;
  version: string;
  /** The commit that the running build was made of, where it is known. */
  build?: string;
  checks: Record<string, Check>;
};

const CHECK_TIMEOUT_MS = 2_000;
const KEPT_MS = 1_000;
const MOST_SKEW_MS = 5_000;

/**
 * A part the service depends on: its name and a check that throws when the part does not answer. `facts` are
 * for those who watch. `findDegraded` says what does not work although the part answers, or null.
 */
export type HealthProbe = {
  name: string;
  /** Whether the service is down without it; else it is degraded. */
  isRequired?: boolean;
  ask: () => Promise<unknown>;
  facts?: () => Facts;
  findDegraded?: () => string | null;
};

/** Answers what health says: of all parts, or of those that a payment needs. Logs each change of a part's state once. */
export function createHealthCheck(
  probes: readonly HealthProbe[],
  about: Pick<Health, "environment" | "version" | "build">,
  log: Log,
): (of?: "ready") => Promise<Health> {
  const parts = probes.map((probe) => ({
    ...probe,
    check: keepChecks(() => check(probe.ask)),
    note: createNote(probe.name, log),
  }));
  const required = parts.filter(({ isRequired }) => isRequired);
  return async (of) => {
    const asked = of ? required : parts;
    const results = await Promise.all(
      asked.map(async ({ name, check, note, facts, findDegraded }) => {
        const { check: result, cause } = await check();
        const degraded = findDegraded?.() ?? null;
        note(result.error ?? null, degraded, cause);
        const more = { ...(degraded && { degraded }), ...(facts && { facts: facts() }) };
        return [name, { ...result, ...more } satisfies Check] as const;
      }),
    );
    const checks = Object.fromEntries(results);
    const isUp = required.every(({ name }) => checks[name]?.ok);
    const isWell = results.every(([, result]) => result.ok && !("degraded" in result));
    const status = isUp ? (isWell ? "ok" : "degraded") : "down";
    return { ok: status === "ok", status, ...about, checks };
  };
}

/** Logs a part's state when it is another than before. Numbers count on within a state. */
function createNote(part: string, log: Log) {
  let before = "";
  return (error: string | null, degraded: string | null, cause: unknown) => {
    const state = `${error ?? degraded ?? ""}`.replaceAll(/\d+/g, "");
    if (state === before) return;
    before = state;
    if (error) log.warn({ part, error, cause: describeCause(cause) }, "a part does not answer");
    else if (degraded) log.warn({ part, degraded }, "a part is degraded");
    else log.info({ part }, "a part works again");
  };
}

/** Anyone may ask for health, and a check takes a connection from payments: requests within a second share one. */
function keepChecks(check: () => Promise<Checked>): () => Promise<Checked> {
  let last: { result: Promise<Checked>; until: number } | undefined;
  return () => {
    const now = performance.now();
    if (!last || now >= last.until) last = { result: check(), until: now + KEPT_MS };
    return last.result;
  };
}

async function check(ask: () => Promise<unknown>): Promise<Checked> {
  const start = performance.now();
  try {
    await within(ask(), CHECK_TIMEOUT_MS, `no answer in ${CHECK_TIMEOUT_MS} ms`);
    return { check: { ok: true, ms: Math.round(performance.now() - start) } };
  } catch (cause) {
    const error =
      cause instanceof Error && cause.message.startsWith("no answer")
        ? cause.message
        : "unreachable";
    return { check: { ok: false, ms: Math.round(performance.now() - start), error }, cause };
  }
}

/** As payments reach it, and whether its clock, which all replicas follow, is that of this machine. */
export function probeDatabase(database: Pick<Database, "for" | "trouble">): HealthProbe {
  let skewMs = 0;
  return {
    name: "database",
    isRequired: true,
    async ask() {
      const before = Date.now();
      const now = (await readRealTime(database.for("money"))).getTime();
      skewMs = Math.max(before - now, now - Date.now());
    },
    findDegraded: () =>
      database.trouble() ??
      (skewMs > MOST_SKEW_MS
        ? `the clocks of this machine and of the database differ by ${Math.round(skewMs / 1000)} s`
        : null),
  };
}

export const probeRail = (name: string, rail: Pick<Rail, "isHealthy">): HealthProbe => ({
  name,
  async ask() {
    if (!(await rail.isHealthy())) throw new Error("unreachable");
  },
});
