import { toJson } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { inFull } from "@/lib/testing/in-full.ts";
import { findAnomaly, isLinearizable } from "@/lib/testing/linearizability.ts";
import { createRandom } from "@/lib/testing/seeded-random.ts";
import { GRANTED, type History, recordHistory, startReplicas } from "./testing/balance-history.ts";
import { counterWithIds } from "./testing/counter-with-ids.ts";

const HISTORIES = inFull(200, 1);
const OPERATIONS = inFull(2_000, 250);

test.each(ruleStores())(
  "R16: every history of one balance, by twelve workers at three replicas, has an order, on $name",
  async ({ open }) => {
    const database = await open();
    const services = startReplicas(database);
    const histories: History[] = [];
    for (let seed = 1; seed <= HISTORIES; seed++) {
      histories.push(await recordHistory(services, createRandom(seed), OPERATIONS));
    }
    expect(await brokenRules(database)).toEqual([]);
    // Before the search: while it runs, nothing keeps connections alive, and the server ends those that are idle.
    await database.close();
    const anomalies: string[] = [];
    let found = 0;
    for (const history of histories) {
      const specification = counterWithIds(GRANTED);
      const anomaly = findAnomaly(history, specification);
      if (anomaly.length > 0) anomalies.push(toJson(anomaly));
      // The checker is not blind: with one answer changed, this history has no order.
      const at = history.findIndex(({ output }) => output?.word === "read");
      const forged = history.slice(0, at + 50).with(at, {
        ...history[at],
        output: { word: "read", credits: 10_007 },
      } as (typeof history)[0]);
      if (!isLinearizable(forged, specification)) found += 1;
    }
    console.log(
      `linearizability: ${HISTORIES} histories of ${OPERATIONS} operations, ${anomalies.length} anomalies, ${found} forged ones found`,
    );
    expect(anomalies).toEqual([]);
    expect(found).toBe(HISTORIES);
  },
  3_600_000,
);
