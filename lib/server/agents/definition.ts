/** An endpoint as a definition tells it, or as it was found by calling it. */
export type FoundEndpoint = {
  verb: string;
  /** With placeholders as `:name` or `{name}`. */
  url: string;
  summary?: string;
  /** Values for placeholders, by name, from the document's examples. */
  values?: Record<string, string>;
  /** A request body that fits, as JSON text. */
  sample?: string;
  /** Whether it looks like something one pays for. */
  isPayable: boolean;
  /** On another origin than the document. */
  isElsewhere: boolean;
  /** Answers as a stream. */
  isStream?: boolean;
};

export type DefinitionKind = "openapi" | "mcp" | "a2a";

/** What a definition says about an agent. */
export type AgentDefinition = {
  kind: DefinitionKind;
  url: string;
  /** `OpenAPI 3.1, 7 paths`. */
  label: string;
  name?: string;
  version?: string;
  description?: string;
  author?: string;
  license?: string;
  tags?: string[];
  endpoints: FoundEndpoint[];
  /** How many there were beyond those listed. */
  leftOut: number;
};

export const MAX_ENDPOINTS = 100;

export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`;
