/** The URL with the agent's ID in place of `:agentId` and `{agentId}` (§2.8). */
export const withAgentId = (url: string, agentId: string): string =>
  url.replace(/:agentId(?=[/?#]|$)|\{agentId\}/g, agentId);
