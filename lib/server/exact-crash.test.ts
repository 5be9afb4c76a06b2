import { afterAll, beforeAll, expect, test } from "vitest";
import { inFull } from "@/lib/testing/in-full.ts";
import { type ExactWorld, openExactWorld, type Part } from "./testing/exact-world.ts";

const ROUNDS = inFull(2, 1);
const PARTS: Part[] = inFull<Part[]>(["gate", "service", "chain"], ["chain"]);
const AT_ONCE = 300;
const CENT = 10_000n;

let world: ExactWorld;
beforeAll(async () => {
  world = await openExactWorld();
}, 180_000);
afterAll(() => world.close(), 60_000);

// Starts and kills real processes: nothing else shows what they lose.
test.each(PARTS)(
  "T14: one authorization sent 300 times at once and again after kill -9 of the %s is one paid answer at most",
  async (part) => {
    let [paid, unpaid, twice, lost] = [0, 0, 0, 0];
    for (let round = 0; round < ROUNDS; round++) {
      const before = await world.money();
      const send = await world.sign();
      const flying = Array.from({ length: AT_ONCE }, send);
      // Somewhere between the first check and the last answer.
      await world.untilBusy(round / ROUNDS);
      await world.kill(part);
      const first = await Promise.all(flying);
      await world.restart(part);
      const again = await world.untilDecided(() =>
        Promise.all(Array.from({ length: AT_ONCE }, send)),
      );
      const answers = [...first, ...again];
      const moved = (await world.money()) - before;
      // What was kept and given again is the same answer.
      const fresh = answers.filter(({ status, isReplay }) => status === 200 && !isReplay).length;
      const isAnswered = answers.some(({ status }) => status === 200);
      if (isAnswered && moved === 0n) unpaid += 1;
      if (moved > CENT || fresh > 1) twice += 1;
      if (isAnswered && moved === CENT) paid += 1;
      if (!isAnswered && moved > 0n) lost += 1;
    }
    console.info(
      `exact ${part}: ${ROUNDS} kills, ${paid} paid and answered, ${unpaid} answered unpaid, ${twice} paid or answered twice, ${lost} paid without an answer`,
    );
    expect({ unpaid, twice }).toEqual({ unpaid: 0, twice: 0 });
  },
  600_000,
);
