/** What the service tells about an agent while it looks, as lines of a stream. */
export type FoundEndpoint = {
  verb: string;
  url: string;
  summary?: string;
  values?: Record<string, string>;
  sample?: string;
  isPayable: boolean;
  isElsewhere: boolean;
  isStream?: boolean;
};

export type AgentDefinition = {
  kind: "openapi" | "mcp" | "a2a";
  url: string;
  label: string;
  name?: string;
  version?: string;
  description?: string;
  author?: string;
  license?: string;
  tags?: string[];
  endpoints: FoundEndpoint[];
  leftOut: number;
};

export type Look = {
  url: string;
  path: string;
  state: "found" | "absent" | "other" | "failed";
  note: string;
  ms: number;
};

export type DiscoveryEvent =
  | { type: "looking"; paths: string[] }
  | { type: "looked"; look: Look }
  | { type: "refused"; code: string; message: string }
  | {
      type: "done";
      definition: AgentDefinition | null;
      endpoint: FoundEndpoint | null;
      ms: number;
    };

export type Finding = {
  id: string;
  severity: "error" | "warning" | "info";
  title: string;
  state: "pass" | "fail";
  sentence: string;
  fix?: string;
};

export type ProbedOffer = {
  scheme: string;
  network: string;
  planId: string | null;
  planName: string | null;
  agentId: string | null;
  credits: string | null;
};

export type ProbeResult = "ready" | "free" | "wrong-method" | "unreachable" | "bad-envelope";

export type Probe = {
  result: ProbeResult;
  why: string;
  status: number | null;
  ms: number;
  calledUrl: string;
  worksWith: string | null;
  findings: Finding[];
  offers: ProbedOffer[];
  envelope: unknown;
};

export type ProbeEvent = { index: number; probe: Probe };

export type CheckEvent =
  | { type: "start"; endpoints: { verb: string; url: string }[] }
  | { type: "endpoint"; index: number; probe: Probe }
  | { type: "agent"; findings: Finding[] };

/** A plan of one's own, as far as an agent's pages need it. */
export type PlanChoice = {
  planId: string;
  name: string;
  price: string;
  /** Credits a call takes: `1`, or `1 to 10`. */
  credits: string;
  /** The least a call takes, for code. */
  minCredits: string;
  isDraft: boolean;
};

export type AccessDraft = {
  authType: "NONE" | "BASIC" | "BEARER";
  username: string;
  password: string;
  token: string;
  headers: { key: number; name: string; value: string }[];
};

/** What a server action answers. */
export type Changed<T> =
  | { ok: true; data: T }
  | {
      ok: false;
      code: string;
      message: string;
      hint: string;
      details: { path: string; message: string }[];
      requestId: string;
    };

export const NO_ACCESS: AccessDraft = {
  authType: "NONE",
  username: "",
  password: "",
  token: "",
  headers: [],
};

/** Access as the service takes it: only what was typed. */
export function accessInput({ authType, username, password, token, headers }: AccessDraft) {
  const named = headers.filter(({ name }) => name.trim() !== "");
  return {
    authType,
    ...(authType === "BASIC" && { username, password }),
    ...(authType === "BEARER" && { token }),
    ...(named.length > 0 && {
      headers: Object.fromEntries(named.map(({ name, value }) => [name.trim(), value])),
    }),
  };
}
