import { createHash } from "node:crypto";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules } from "@/lib/adapters/db/testing/stores.ts";
import { resolveOrders } from "@/lib/domain/orders/resolve-orders.ts";
import { createRandom, type Random } from "@/lib/testing/seeded-random.ts";
import type { Actor } from "./actor.ts";
import type { Ending, Fault, Round } from "./model-records.ts";
import type { Move } from "./move.ts";
import { drawMove } from "./moves.ts";
import { readLedger } from "./read-ledger.ts";
import { createWorld, REPLICAS, type World } from "./world.ts";

export type SimulationOptions = {
  seed: number;
  operations: number;
  /** Subscribers that act at once. */
  actors?: number;
  /** Operations between two comparisons of model and ledger. */
  block?: number;
  onBlock?: (done: number) => void | Promise<void>;
};

export type Simulation = {
  operations: number;
  /** Each place where service and model differ, and each broken rule, with what led to it. */
  faults: string[];
  answers: Map<string, number>;
  /** The same for the same seed: every operation and its answer. */
  digest: string;
};

const STATEMENTS = ["hold_set", "settle_requests", "resolve_holds", "renew_holds"] as const;
const ENDINGS: Ending[] = ["pay", "pay", "pay", "refuse", "lose the answer", "lose the request"];
const STEPS_SECS = [0, 0, 0, 1, 1, 5, 20, 30, 60, 60, 100, 299, 300, 301, 900];
const MOST_FAULTS = 5;
const BEGIN_SECS = Date.parse("2030-01-01T00:00:00Z") / 1000;

/**
 * Lets subscribers and two replicas of the service act on one database, with lost statements and replies, killed
 * replicas, payments without an answer and a clock that jumps, and compares every answer and every balance with a small
 * model. The same seed gives the same operations and answers.
 *
 * @example expect((await simulate(database, { seed: 1, operations: 10_000 })).faults).toEqual([])
 */
export async function simulate(
  database: Database,
  { seed, operations, actors = 48, block = 10_000, onBlock }: SimulationOptions,
): Promise<Simulation> {
  const random = createRandom(seed);
  const world = await createWorld(database, actors);
  const digest = createHash("sha256");
  const found: Simulation = { operations: 0, faults: [], answers: new Map(), digest: "" };
  let now = BEGIN_SECS;
  let checked = 0;
  while (found.operations < operations && found.faults.length < MOST_FAULTS) {
    now = await passTime(world, random, now);
    const some = world.actors.slice(0, operations - found.operations);
    const results = await playRound(world, some, { random, now });
    for (const { text, answer, expected, isRight } of results) {
      digest.update(`${text}: ${expected}\n`);
      const kind = answer.replace(/ .*/, "");
      found.answers.set(kind, (found.answers.get(kind) ?? 0) + 1);
      if (!isRight) found.faults.push(`${text}: ${answer}, and not ${expected}`);
    }
    found.operations += results.length;
    if (found.operations - checked >= block || found.operations >= operations) {
      checked = found.operations;
      found.faults.push(...(await compare(world)));
      await onBlock?.(found.operations);
    }
  }
  if (found.faults.length > 0) found.faults.unshift(`seed ${seed}, ${found.operations} operations`);
  return { ...found, digest: digest.digest("hex") };
}

/** Between rounds: the clock moves, background work runs, a replica starts again. */
async function passTime(world: World, random: Random, before: number): Promise<number> {
  const ports = world.ports;
  const step = random.pick(STEPS_SECS);
  if (step > 0) await ports.clock.advance(step);
  const now = before + step;
  world.setFault(null);
  if (random.chance(30)) {
    const ending = random.pick(ENDINGS);
    world.rail.setEnding(ending);
    while ((await resolveOrders(ports, 500)) > 0);
    for (const { model } of world.actors) model.resolveOrders({ now, ending, fault: null });
  }
  if (random.chance(30)) {
    while ((await ports.ledger.sweep()) > 0);
    for (const { model } of world.actors) model.sweep(now);
  }
  if (random.chance(4)) world.restart(random.below(REPLICAS));
  return now;
}

type Played = { text: string; answer: string; expected: string; isRight: boolean };

/** One operation of each subscriber, all at once; some are sent to both replicas. */
async function playRound(
  world: World,
  actors: Actor[],
  { random, now }: { random: Random; now: number },
): Promise<Played[]> {
  const ending = random.pick(ENDINGS);
  const fault = random.chance(50) ? drawFault(random) : null;
  world.rail.setEnding(ending);
  world.setFault(fault);
  const plays = actors.map((actor) => {
    const move = drawMove({ world, actor, random, now });
    const replica = random.below(REPLICAS);
    // A renewal skips a hold that another one has locked, and answers when that one would have ended.
    const isTwice =
      fault === null &&
      random.chance(10) &&
      !/^(mint|revoke|order|renew|lend|batch)/.test(move.text);
    const round: Round = { now, ending, fault: fault?.replica === replica ? fault : null };
    const expected = Array.from({ length: isTwice ? 2 : 1 }, () => move.expect(round));
    return { actor, move, replica, expected };
  });
  return Promise.all(
    plays.map(async ({ actor, move, replica, expected }) => {
      const replicas = expected.map((_, index) => (replica + index) % REPLICAS);
      const answers = await Promise.all(replicas.map(move.run));
      return judge(actor, move, { answers, expected });
    }),
  );
}

function drawFault(random: Random): Fault {
  const statement = random.pick(STATEMENTS);
  const when = random.pick(["before", "after"] as const);
  return { replica: random.below(REPLICAS), statement, when };
}

/** What the second of two may be told that arrive together, while the first one orders credits for both. */
const MEANWHILE = ["waits"];

function judge(
  { index }: Actor,
  { text }: Move,
  seen: { answers: string[]; expected: string[] },
): Played {
  const [answers, expected] = [seen.answers.toSorted(), seen.expected.toSorted()];
  const first = answers.indexOf(seen.expected[0] ?? "");
  const second = answers.find((_, at) => at !== first) ?? "";
  const isMeanwhile = answers.length === 2 && first >= 0 && MEANWHILE.includes(second);
  const [answer, wanted] = [answers.join(" | "), expected.join(" | ")];
  const isRight = answer === wanted || isMeanwhile;
  return { text: `${index}: ${text}`, answer, expected: wanted, isRight };
}

/** Where the ledger is not as the model says, and the rules that are broken. */
async function compare(world: World): Promise<string[]> {
  world.setFault(null);
  const ledger = await readLedger(world);
  const faults = world.actors.flatMap(({ index, model, touched }) => {
    const wanted = model.state(touched);
    const given = ledger.get(index) ?? [];
    const differing = wanted.findIndex((line, at) => line !== given[at]);
    touched.clear();
    if (differing < 0 && wanted.length === given.length) return [];
    return [`subscriber ${index}: ${given[differing]}, and not ${wanted[differing]}`];
  });
  return [...faults, ...(await brokenRules(world.database))];
}
