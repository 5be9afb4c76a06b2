import type { Environment } from "@turnpike/payments/protocol";
import type { Database } from "@/lib/adapters/db/client.ts";
import type { Rail } from "@/lib/domain/rails/rail.ts";

type Facts = Record<string, string | number>;
type Check = { ok: boolean; ms: number; error?: string; facts?: Facts };
export type Health = {
  ok: boolean;
  environment: Environment;
  version: string;
  checks: Record<string, Check>;
};

const CHECK_TIMEOUT_MS = 2_000;

/**
 * A part the service depends on: its name and a check that throws when the part does not answer. `facts` are
 * for those who watch; whatever they say, the part is healthy when it answers.
 */
export type HealthProbe = { name: string; ask: () => Promise<unknown>; facts?: () => Facts };

/** Asks every part at once; healthy only when all answer in time. */
export async function checkHealth(
  probes: readonly HealthProbe[],
  about: { environment: Environment; version: string },
): Promise<Health> {
  const results = await Promise.all(
    probes.map(async ({ name, ask, facts }) => {
      const result = await check(ask);
      return [name, facts ? { ...result, facts: facts() } : result] as const;
    }),
  );
  return {
    ok: results.every(([, result]) => result.ok),
    ...about,
    checks: Object.fromEntries(results),
  };
}

async function check(ask: () => Promise<unknown>): Promise<Check> {
  const start = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(
      () => fail(new Error(`no answer in ${CHECK_TIMEOUT_MS} ms`)),
      CHECK_TIMEOUT_MS,
    );
  });
  try {
    await Promise.race([ask(), late]);
    return { ok: true, ms: Math.round(performance.now() - start) };
  } catch (cause) {
    // The driver's text may hold an address or a user name: the log has it, the answer does not.
    const error =
      cause instanceof Error && cause.message.startsWith("no answer")
        ? cause.message
        : "unreachable";
    return { ok: false, ms: Math.round(performance.now() - start), error };
  } finally {
    clearTimeout(timer);
  }
}

export const probeDatabase = (database: Database): HealthProbe => ({
  name: "database",
  ask: () => database.query("select 1", []),
});

export const probeRail = (name: string, rail: Rail): HealthProbe => ({
  name,
  async ask() {
    if (!(await rail.isHealthy())) throw new Error("unreachable");
  },
});
