import { matchesSegments, normalizePath, pathOf } from "@turnpike/payments/protocol";
import { type Check, fault, pass, skip } from "./check.ts";

/** Checks of the document that describes an agent. */
export const DEFINITION_CHECKS: readonly Check[] = [
  {
    id: "D22",
    severity: "error",
    title: "The definition can be read",
    seen: ({ definition }) => definition?.seen ?? null,
    run: ({ definition }) => {
      if (!definition) return skip("This address is no registered agent's.");
      const { url, label, fault: why } = definition;
      if (url === null) {
        return fault(
          "There is no definition: an OpenAPI document, an MCP manifest or an A2A card.",
          "Download the minimal OpenAPI file, host it beside the agent, and give its URL.",
        );
      }
      return label === null ? fault(`${url} cannot be read: ${why ?? "unknown"}.`) : pass(label);
    },
  },
  {
    id: "D23",
    severity: "warning",
    title: "Definition and endpoints agree",
    seen: ({ definition }) => definition?.seen ?? null,
    run: ({ definition }) => {
      if (!definition) return skip("This address is no registered agent's.");
      if (definition.label === null) return skip("The definition cannot be read (D22).");
      const { described, paid, openUrls, url: itself } = definition;
      const missing = paid.filter((one) => !described.some((other) => isSame(one, other)));
      const unpriced = described.filter(
        (one) =>
          !paid.some((other) => isSame(one, other)) &&
          // A definition that is generated describes where it is itself.
          !(itself !== null && isSamePath(partOf(one), itself)) &&
          !openUrls.some((url) => isSamePath(partOf(one), url)),
      );
      if (missing.length > 0) return fault(`The definition does not describe ${listed(missing)}.`);
      return unpriced.length > 0
        ? fault(
            `${listed(unpriced)} ${unpriced.length === 1 ? "is" : "are"} described, but neither paid nor open.`,
            "Add them to the endpoints, or to the open ones.",
          )
        : pass("Every endpoint is in both.");
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
