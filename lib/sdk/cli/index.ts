/** The verbs of agents over MCP, for servers that carry the messages: what `@turnpike/payments/cli` exports. */
export { createClientCache, createVerbContext, type VerbContextOptions } from "./context.ts";
export { answerMcp, MCP_VERSIONS } from "./mcp-server.ts";
