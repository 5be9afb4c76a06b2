import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createChainMirror } from "./chain-mirror.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A replica whose lane is held by another one. */
function openReplica() {
  const warned: string[] = [];
  const world = { states: [] as object[], isReachable: true };
  const query = async (text: string) => {
    if (!/lane/i.test(text)) return world.states;
    if (!world.isReachable) throw new Error("The node does not answer.");
    return [];
  };
  const parts = {
    environment: "sandbox",
    database: { kind: "postgres", orm: {}, query },
    operator: { client: {}, deployment: { chainId: 1 }, sender: {} },
    grants: {},
    log: { info() {}, error() {}, warn: (_: object, text: string) => void warned.push(text) },
  };
  return { world, warned, mirror: createChainMirror(parts as never) };
}

/** What a settle sees. */
async function ask({ mirror }: ReturnType<typeof openReplica>) {
  const found = mirror.mirrored("one", "submitted");
  await vi.advanceTimersByTimeAsync(1_000);
  return found;
}

test("after a settle that waited in vain, others don't wait for some seconds, and then find what another replica sent", async () => {
  const replica = openReplica();
  expect(await ask(replica)).toBeNull();
  replica.world.states = [{ settlementId: "one", status: "submitted", transaction: "0xabc" }];
  expect(await ask(replica)).toBeNull();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await ask(replica)).toMatchObject({ transaction: "0xabc" });
});

test("a chain that does not answer is logged once, also when a settle waited first", async () => {
  const replica = openReplica();
  expect(await ask(replica)).toBeNull();
  replica.world.isReachable = false;
  replica.mirror.bundler.start();
  await vi.advanceTimersByTimeAsync(60_000);
  replica.world.isReachable = true;
  await replica.mirror.bundler.stop();
  expect(replica.warned).toEqual(["settlements are not mirrored on chain"]);
});
