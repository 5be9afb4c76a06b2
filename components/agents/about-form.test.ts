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

test("a sample link that was cleared is removed, and the others stay as they are", () => {
  const about = aboutOf(agent);
  expect(aboutInput(agent, about).metadataAttributes).toMatchObject({
    sampleLink: "https://agent.example/sample",
  });
  expect(aboutInput(agent, { ...about, sampleLink: "" }).metadataAttributes).toMatchObject({
    name: "Reader",
    sampleLink: "",
  });
  expect(AgentMetadata.shape.sampleLink.safeParse("").success).toBe(true);
});
