import * as z from "zod";
import { AuthType } from "./enums.ts";
import { AgentId, Instant, isWebUrl, PlanId, plainLine, plainText, WebUrl } from "./primitives.ts";

/** What people read about an agent (§2.7). Only the name is required. */
export const AgentMetadata = z.object({
  name: plainLine(120).pipe(z.string().min(1, "Give it a name.")),
  description: plainText(4000).optional(),
  author: plainLine(120).optional(),
  license: plainLine(120).optional(),
  tags: z.array(plainLine(40)).max(20).optional(),
  integration: plainLine(200).optional(),
  sampleLink: WebUrl.optional(),
  apiDescription: plainText(8000).optional(),
  dateCreated: Instant.or(z.iso.date()).optional(),
});
export type AgentMetadata = z.output<typeof AgentMetadata>;

/** The same in an answer: a text that was stored under older rules is still shown. */
export const ShownMetadata = AgentMetadata.extend({
  name: z.string(),
  description: z.string().optional(),
  author: z.string().optional(),
  license: z.string().optional(),
  tags: z.array(z.string()).optional(),
  integration: z.string().optional(),
  apiDescription: z.string().optional(),
});

const HTTP_VERBS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/** An HTTP method, read in any case and written upper-case. */
export const HttpVerb = z
  .string()
  .transform((verb) => verb.toUpperCase())
  .pipe(z.enum(HTTP_VERBS))
  .meta({ wire: "text" });
export type HttpVerb = z.output<typeof HttpVerb>;

/** A URL whose path may hold placeholders such as `:agentId` and `{taskId}` (§2.8); absolute or a path. */
const EndpointUrl = z
  .string()
  .max(2048)
  .refine((url) => isWebUrl(url) || isPath(url), {
    error: ({ input }) =>
      /^https?:\/\/[^/]*@/.test(String(input))
        ? "A URL must not contain a user name or password."
        : "Expected an http(s) URL, or a path that starts with one slash.",
  });

/** A path on the agent's own host: `//host` and `/\host` name another one. */
const isPath = (text: string): boolean => /^\/(?![/\\])[^\p{Cc}\s]*$/u.test(text);

/** One paid endpoint: `{ POST: "https://…/:id" }`, or the two-field form `{ verb, url }`. */
const AgentEndpoint = z
  .union([z.object({ verb: HttpVerb, url: EndpointUrl }), z.record(z.string(), EndpointUrl)])
  .transform((endpoint, context): { verb: HttpVerb; url: string } => {
    if (typeof endpoint.verb === "string" && typeof endpoint.url === "string") {
      return { verb: endpoint.verb as HttpVerb, url: endpoint.url };
    }
    const [entry, ...others] = Object.entries(endpoint as Record<string, string>);
    const verb = HttpVerb.safeParse(entry?.[0]);
    if (entry && others.length === 0 && verb.success) return { verb: verb.data, url: entry[1] };
    context.addIssue({
      code: "custom",
      message: 'Expected one entry such as { "POST": "https://…" }.',
    });
    return z.NEVER;
  });

/** Where and how the agent is reached (§2.8). Secrets in it are write-only: no answer carries them. */
export const AgentApiAttributes = z.object({
  endpoints: z.array(AgentEndpoint).max(100).default([]),
  openEndpoints: z.array(EndpointUrl).max(100).default([]),
  agentDefinitionUrl: WebUrl.optional(),
  authType: AuthType.default("NONE"),
  username: z.string().max(256).optional(),
  password: z.string().max(1024).optional(),
  token: z.string().max(8192).optional(),
  apiKey: z.string().max(8192).optional(),
  headers: z.record(z.string().max(128), z.string().max(8192)).optional(),
});
export type AgentApiAttributes = z.output<typeof AgentApiAttributes>;

/** The attributes everyone may read: no credentials and no extra headers. */
export const PublicAgentApi = z.object({
  endpoints: z.array(z.record(z.string(), z.string())),
  openEndpoints: z.array(z.string()),
  agentDefinitionUrl: z.string().optional(),
  authType: AuthType,
});

/** An agent as the API answers it. */
export const Agent = z.object({
  id: AgentId,
  agentId: AgentId,
  owner: z.string(),
  metadata: z.object({ main: ShownMetadata, agent: PublicAgentApi }),
  plans: z.array(PlanId),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type Agent = z.output<typeof Agent>;
