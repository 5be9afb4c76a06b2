import { matchesSegments, normalizePath, pathOf } from "@turnpike/payments/protocol";
import { pluralWord } from "@/lib/text/plural.ts";
import { type Check, error, fault, pass, skip, warning } from "./check.ts";

const HOST_ONE =
  "Serve one at the agent's definition URL, or choose “Let Turnpike host the definition” in its settings.";

/** The document that describes an agent. */
export const DEFINITION_CHECKS: readonly Check[] = [
  {
    ...error("D22", "Readable definition"),
    seen: ({ definition }) => definition?.seen ?? null,
    run: ({ definition, notAnEndpointOf: agentId, verb, pattern }) => {
      if (agentId !== undefined) {
        return fault(
          `${verb} ${pattern} is not an endpoint of agent ${agentId}, which the offer names, so its tokens are refused.`,
          "Register it as an endpoint of the agent, or correct agentId in the gate's route.",
        );
      }
      if (!definition) return skip("The URL does not belong to a registered agent.");
      const { url, label, fault: why } = definition;
      if (url === null) {
        return fault("The agent has no definition (OpenAPI, MCP manifest or A2A card).", HOST_ONE);
      }
      return label === null
        ? fault(`${url} is not readable: ${why ?? "unknown"}.`, HOST_ONE)
        : pass(label);
    },
  },
  {
    ...warning("D23", "Definition matches the endpoints"),
    seen: ({ definition }) => definition?.seen ?? null,
    run: ({ definition, notAnEndpointOf: agentId }) => {
      if (agentId !== undefined) return skip(`It is not an endpoint of agent ${agentId} (D22).`);
      if (!definition) return skip("The URL does not belong to a registered agent.");
      if (definition.label === null) return skip("The definition is unreadable (D22).");
      const { described, paid, openUrls, url: itself } = definition;
      const missing = paid.filter((one) => !described.some((other) => isSame(one, other)));
      const unpriced = described.filter(
        (one) =>
          !paid.some((other) => isSame(one, other)) &&
          // A generated definition describes its own URL.
          !(itself !== null && isSamePath(partOf(one), itself)) &&
          !openUrls.some((url) => isSamePath(partOf(one), url)),
      );
      if (missing.length > 0) return fault(`The definition does not describe ${listed(missing)}.`);
      return unpriced.length > 0
        ? fault(
            `${listed(unpriced)} ${pluralWord(unpriced.length, "is", "are")} in the definition, but neither paid nor open.`,
            "Add them to the paid or the open endpoints.",
          )
        : pass("Every endpoint is in the definition.");
    },
  },
];

const verbOf = (endpoint: string) => endpoint.split(" ", 1)[0] as string;
const partOf = (endpoint: string) => endpoint.slice(verbOf(endpoint).length + 1);

const isSame = (one: string, other: string): boolean =>
  verbOf(one) === verbOf(other) && isSamePath(partOf(one), partOf(other));

function isSamePath(one: string, other: string): boolean {
  const left = normalizePath(pathOf(one));
  const right = normalizePath(pathOf(other));
  if (!left || !right) return one === other;
  return matchesSegments(left, right) || matchesSegments(right, left);
}

const listed = (endpoints: readonly string[]): string => {
  const shown = endpoints.slice(0, 3).join(", ");
  return endpoints.length > 3 ? `${shown} and ${endpoints.length - 3} more` : shown;
};
