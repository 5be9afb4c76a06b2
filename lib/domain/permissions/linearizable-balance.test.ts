import { expect, test } from "vitest";
import { brokenRules, testStores } from "@/lib/adapters/db/testing/stores.ts";
import { inFull } from "@/lib/testing/in-full.ts";
import { isLinearizable } from "@/lib/testing/linearizability.ts";
import { createRandom } from "@/lib/testing/seeded-random.ts";
import { GRANTED, recordHistory, startReplicas } from "./testing/balance-history.ts";
import { counterWithIds } from "./testing/counter-with-ids.ts";

const HISTORIES = inFull(200, 2);
const OPERATIONS = inFull(2_000, 250);

test.each(testStores())(
  "R16: every history of one balance, by twelve workers at three replicas, has an order, on $name",
  async ({ open }) => {
    const database = await open();
    const services = startReplicas(database);
    let anomalies = 0;
    let changed = 0;
    for (let seed = 1; seed <= HISTORIES; seed++) {
      const random = createRandom(seed);
      const history = await recordHistory(services, random, OPERATIONS);
      const specification = counterWithIds(GRANTED);
      if (!isLinearizable(history, specification)) anomalies += 1;
      // The checker is not blind: with one answer changed, this history has no order.
      const at = history.findLastIndex(({ output }) => output?.word === "read");
      const forged = history.map((entry, index) =>
        index === at ? { ...entry, output: { word: "read", credits: 10_007 } } : entry,
      );
      if (!isLinearizable(forged, specification)) changed += 1;
    }
    console.log(
      `linearizability: ${HISTORIES} histories of ${OPERATIONS} operations, ${anomalies} anomalies, ${changed} forged ones found`,
    );
    expect([anomalies, changed]).toEqual([0, HISTORIES]);
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  },
  3_600_000,
);
