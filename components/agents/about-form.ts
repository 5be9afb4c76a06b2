import { type Agent, AgentMetadata, type InputOf, WebUrl } from "@turnpike/payments/protocol";
import { z } from "zod";
import { readTags } from "@/lib/text/read-tags.ts";
import { changedFields } from "../forms/changes.ts";

const { name, description, author, license } = AgentMetadata.shape;
const OptionalUrl = z.literal("").or(WebUrl);
export const About = z.object({
  name,
  description: description.def.innerType,
  author: author.def.innerType,
  license: license.def.innerType,
  sampleLink: OptionalUrl,
  agentDefinitionUrl: OptionalUrl,
  tags: z.string().refine((text) => readTags(text).length <= 20, "Use at most 20 tags."),
});
export type About = z.input<typeof About>;

export function aboutOf({ metadata: { main, agent } }: Agent): About {
  return {
    name: main.name,
    description: main.description ?? "",
    author: main.author ?? "",
    license: main.license ?? "",
    sampleLink: main.sampleLink ?? "",
    agentDefinitionUrl: agent.agentDefinitionUrl ?? "",
    tags: (main.tags ?? []).join(", "),
  };
}

/** What differs from the values that were saved before. */
export function aboutInput(agentId: string, saved: About, values: About): InputOf<"updateAgent"> {
  const { agentDefinitionUrl, tags, ...texts } = changedFields(saved, values);
  return {
    agentId,
    metadataAttributes: { ...texts, ...(tags !== undefined && { tags: readTags(tags) }) },
    ...(agentDefinitionUrl !== undefined && { agentApiAttributes: { agentDefinitionUrl } }),
  };
}
