/** What is told while the agent at an address is looked for: the lines of a stream. */

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

/** What a definition says about an agent. */
export type AgentDefinition = {
  kind: "openapi" | "mcp" | "a2a";
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

/** A place that was looked at, and what was there. */
export type Look = {
  url: string;
  /** What a page shows for it: its path. */
  path: string;
  state: "found" | "absent" | "other" | "failed";
  /** `OpenAPI 3.1`, `404`, `an HTML page`, or why it could not be read. */
  note: string;
  ms: number;
};

export type DiscoveryEvent =
  | { type: "looking"; paths: string[] }
  | { type: "looked"; look: Look }
  /** Nothing can be called there; `message` explains. */
  | { type: "refused"; code: string; message: string }
  /** `endpoint` is the URL itself, when that is what asks for payment. */
  | {
      type: "done";
      definition: AgentDefinition | null;
      endpoint: FoundEndpoint | null;
      ms: number;
    };
