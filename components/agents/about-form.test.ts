import { type Agent, AgentMetadata } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { aboutInput, aboutOf } from "./about-form.ts";

const agent = {
  agentId: "7",
  metadata: {
    main: { name: "Reader", sampleLink: "https://agent.example/sample" },
    agent: { endpoints: [], openEndpoints: [], authType: "NONE" },
  },
} as unknown as Agent;

test("only what was changed is sent, and a sample link that was cleared is removed", () => {
  const about = aboutOf(agent);
  const inputOf = (changes: Partial<typeof about>) =>
    aboutInput("7", about, { ...about, ...changes });
  expect(inputOf({ sampleLink: "" })).toEqual({
    agentId: "7",
    metadataAttributes: { sampleLink: "" },
  });
  expect(inputOf({ tags: "a, b" })).toEqual({
    agentId: "7",
    metadataAttributes: { tags: ["a", "b"] },
  });
  const agentDefinitionUrl = "https://agent.example/card.json";
  expect(inputOf({ agentDefinitionUrl })).toEqual({
    agentId: "7",
    metadataAttributes: {},
    agentApiAttributes: { agentDefinitionUrl },
  });
  expect(AgentMetadata.shape.sampleLink.safeParse("").success).toBe(true);
});
