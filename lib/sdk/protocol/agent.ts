import * as z from "zod/mini";
import { HttpVerb, ShownMetadata } from "./agent-metadata.ts";
import { AuthType } from "./enums.ts";
import { AgentId, isWebUrl, mapOf, PlanId, WebUrl } from "./primitives.ts";

/**
 * A URL whose path may hold placeholders such as `:taskId` and `{taskId}` (§2.8): an http(s) URL, a path, or the name of
 * something that is not reached by HTTP, such as `mcp://server/tools/search`. In a registered endpoint, `:agentId` is
 * the agent's own ID.
 */
const EndpointUrl = z.string().check(
  z.maxLength(2048),
  z.refine((url) => isWebUrl(url) || isPath(url) || isLogicalUrl(url), {
    error: ({ input }) =>
      /^https?:\/\/[^/]*@/.test(String(input))
        ? "A URL must not contain a username or password."
        : "Expected an http(s) URL, a path that starts with one slash, or a URL such as mcp://server/tools/name.",
  }),
);

/** A URL that names something by another protocol; the service never opens it. */
const isLogicalUrl = (text: string): boolean =>
  /^(?!https?:|file:|ftp:|javascript:|data:|vbscript:|blob:)[a-z][a-z0-9+.-]*:\/\/[^/@\p{Cc}\s]+(\/[^\p{Cc}\s]*)?$/iu.test(
    text,
  );

/** A path on the agent's own host: `//host` and `/\\host` name another one. */
const isPath = (text: string): boolean => /^\/(?![/\\])[^\p{Cc}\s]*$/u.test(text);

/** The URL with its origin as parsers read it, by which the endpoint is found. The path keeps its placeholders. */
function withPlainOrigin(url: string): string {
  if (!isWebUrl(url)) return url;
  const text = url.replace(/[\t\n\r]/g, "").trim();
  const [, path = "", query = ""] = /^[a-z]+:[/\\]*[^/\\?#]*([^?#]*)(.*)$/i.exec(text) ?? [];
  return `${new URL(url).origin}${path.replaceAll("\\", "/")}${query}`;
}

/** One paid endpoint: `{ POST: "https://…/:id" }`, or the two-field form `{ verb, url }`. */
const AgentEndpoint = z.pipe(
  z.union([z.object({ verb: HttpVerb, url: EndpointUrl }), mapOf(EndpointUrl)]),
  z.transform((endpoint, context): { verb: HttpVerb; url: string } => {
    if (typeof endpoint.verb === "string" && typeof endpoint.url === "string") {
      return { verb: endpoint.verb as HttpVerb, url: withPlainOrigin(endpoint.url) };
    }
    const [entry, ...others] = Object.entries(endpoint as Record<string, string>);
    const verb = HttpVerb.safeParse(entry?.[0]);
    if (entry && others.length === 0 && verb.success)
      return { verb: verb.data, url: withPlainOrigin(entry[1]) };
    context.issues.push({
      code: "custom",
      input: endpoint,
      message: 'Expected one entry such as { "POST": "https://…" }.',
    });
    return z.NEVER;
  }),
);

/**
 * Where and how the agent is reached (§2.8). A change keeps what is left out; a new agent has no endpoints and `NONE`
 * there. All endpoints and open endpoints have at most 20,000 characters together, credentials and headers 32,000. Secrets
 * in it are write-only: no response contains them.
 */
export const AgentApiAttributes = z.object({
  endpoints: z.optional(z.array(AgentEndpoint).check(z.maxLength(100))),
  openEndpoints: z.optional(z.array(EndpointUrl).check(z.maxLength(100))),
  /** Empty for the one that the agent's gate serves, or Turnpike hosts. */
  agentDefinitionUrl: z.optional(z.union([z.literal(""), WebUrl])),
  authType: z.optional(AuthType),
  username: z.optional(z.string().check(z.maxLength(256))),
  password: z.optional(z.string().check(z.maxLength(1024))),
  token: z.optional(z.string().check(z.maxLength(8192))),
  apiKey: z.optional(z.string().check(z.maxLength(8192))),
  headers: z.optional(
    mapOf(z.string().check(z.maxLength(8192))).check(
      z.refine(
        (headers) => Object.keys(headers).every((name) => name.length <= 128),
        "Expected names of at most 128 characters.",
      ),
    ),
  ),
});
export type AgentApiAttributes = z.output<typeof AgentApiAttributes>;

/** The attributes everyone may read: no credentials and no extra headers. */
export const PublicAgentApi = z.object({
  endpoints: z.array(mapOf(z.string())),
  openEndpoints: z.array(z.string()),
  agentDefinitionUrl: z.optional(z.string()),
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
  archivedAt: z.optional(z.string()),
});
export type Agent = z.output<typeof Agent>;
