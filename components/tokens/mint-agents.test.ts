import type { Agent } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { mintAgents } from "./mint-agents.ts";

const agentOf = (agentId: string, name: string) =>
  ({ agentId, metadata: { main: { name }, agent: { endpoints: [] } } }) as unknown as Agent;

test("agents of one name are told apart by their ids, in the order they were registered", () => {
  const agents = [
    agentOf("111111999999992222", "Reader"),
    agentOf("333333999999994444", "Reader"),
    agentOf("5", "Writer"),
  ];
  expect(mintAgents(agents).map(({ agentId, name }) => [agentId, name])).toEqual([
    ["5", "Writer"],
    ["333333999999994444", "Reader (333333…4444)"],
    ["111111999999992222", "Reader (111111…2222)"],
  ]);
});
