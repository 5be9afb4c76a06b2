import "server-only";
import type { Outbound } from "@/lib/domain/outbound-ports.ts";
import { agentAnswer } from "@/lib/domain/plans/agents.ts";
import { isFirstTry, nextCheck } from "@/lib/domain/plans/check-schedule.ts";
import type { Ports } from "@/lib/domain/ports.ts";
import type { AgentRecord, DoctorRun } from "@/lib/domain/records.ts";
import { checkAgent } from "./check-agent.ts";
import { noteChecks } from "./doctor/note-run.ts";

/** Agents that this process checks at once. */
const AT_ONCE = 5;
/** What an agent's checks may take in all. */
const RUN_MS = 5 * 60_000;
/** Longer than a run can take, so that a replica that still checks is not overtaken. */
const LEASE_MS = RUN_MS + 60_000;

/** What code throws at an answer that it cannot read. Other errors are of the service, and the checks are made again. */
const ANSWER_FAULTS = [RangeError, TypeError, SyntaxError, URIError];

type Parts = {
  ports: Ports;
  /** Its requests are tests, which figures leave out. */
  outbound: Outbound;
  runMs?: number;
};

/**
 * Checks agents whose owners asked for it, once a day: the checks that can't be charged. `run` begins what is due and does not
 * wait for it; `idle` waits until nothing is under way.
 */
export function createDailyChecks({ ports, outbound, runMs = RUN_MS }: Parts) {
  const { agents, clock, log } = ports;
  const underWay = new Set<Promise<void>>();
  const stopping = new AbortController();

  async function check(agent: AgentRecord): Promise<void> {
    const { agentId } = agent;
    const late = AbortSignal.timeout(runMs);
    const signal = AbortSignal.any([late, stopping.signal]);
    const prober = { outbound, ports, account: agentId, agentId, signal };
    const note = async ({ checks, ...found }: Omit<DoctorRun, "at">) => {
      // What a stop broke off is checked again once its lease has ended.
      if (stopping.signal.aborted) return;
      const now = await clock.now();
      // An agent that keeps its checks waiting fails, whatever it answered until then.
      const run = { at: now.toISOString(), ...found, checks: late.aborted ? checks + 1 : checks };
      await agents.finishCheck(agent, run, nextCheck(agentId, now));
    };
    try {
      for await (const _ of noteChecks(checkAgent(prober, agentAnswer(agent)), note));
    } catch (cause) {
      if (!ANSWER_FAULTS.some((kind) => cause instanceof kind)) throw cause;
      log.warn({ agent: agentId, cause: String(cause) }, "checks failed");
      await note({ passed: 0, checks: 1 });
    }
  }

  async function idle(): Promise<void> {
    while (underWay.size > 0) await Promise.all(underWay);
  }

  return {
    async run(): Promise<number> {
      const now = await clock.now();
      const until = new Date(now.getTime() + LEASE_MS);
      // What ended a process is tried once more, and not again before the next day: it may end each one.
      const untilOf = (agentId: string, dueAt: Date) =>
        isFirstTry(agentId, dueAt) ? until : nextCheck(agentId, now);
      const free = AT_ONCE - underWay.size;
      const due = free > 0 ? await agents.leaseChecks(free, now, untilOf) : [];
      for (const agent of due) {
        const checked = check(agent)
          .catch((cause) => log.warn({ agent: agent.agentId, cause: String(cause) }, "not checked"))
          .finally(() => underWay.delete(checked));
        underWay.add(checked);
      }
      return due.length;
    },
    idle,
    /** Breaks off what is under way. */
    async stop(): Promise<void> {
      stopping.abort();
      await idle();
    },
  };
}
