/** Events while an agent is discovered at a URL, one per line of a stream. */

/** An endpoint from a definition, or found by calling it. */
export type FoundEndpoint = {
  verb: string;
  /** Placeholders are written `:name` or `{name}`. */
  url: string;
  summary?: string;
  /** Placeholder values from the document's examples, by name. */
  values?: Record<string, string>;
  /** A matching request body, as JSON. */
  sample?: string;
  /** Whether it looks like a paid endpoint. */
  isPayable: boolean;
  /** On a different origin from the document. */
  isElsewhere: boolean;
  /** Responds with a stream. */
  isStream?: boolean;
};

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
  /** How many endpoints were left out. */
  leftOut: number;
};

/** A location that was checked for a definition. */
export type Look = {
  url: string;
  path: string;
  state: "found" | "absent" | "other" | "failed";
  /** `OpenAPI 3.1`, `404`, `an HTML page`, or why it is unreadable. */
  note: string;
  ms: number;
};

export type DiscoveryEvent =
  | { type: "looking"; paths: string[] }
  | { type: "looked"; look: Look }
  /** Nothing can be called at this URL; `message` says why. */
  | { type: "refused"; code: string; message: string }
  /** `endpoint` is the URL itself, if it requires payment. */
  | {
      type: "done";
      definition: AgentDefinition | null;
      endpoint: FoundEndpoint | null;
      ms: number;
    };
