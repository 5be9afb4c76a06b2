import { PACKAGE_FILE } from "./read-package.mjs";

const START = "node --import ./check-port.mjs server.mjs";

/** What each stack needs beside the package itself: its packages, how it is started, and the route that is paid. */
export const STACKS = {
  express: { dependencies: { express: "^5.1.0" } },
  hono: { dependencies: { hono: "^4.6.0", "@hono/node-server": "^1.13.0 || ^2.0.0" } },
  fastify: { dependencies: { fastify: "^5.0.0" } },
  node: { dependencies: {} },
  langgraph: {
    dependencies: {
      "@hono/node-server": "^1.13.0 || ^2.0.0",
      "@langchain/core": "^1.0.0",
      "@langchain/langgraph": "^1.0.0",
    },
  },
  next: {
    dependencies: { next: ">=15", react: ">=19", "react-dom": ">=19" },
    scripts: { build: "next build", start: "node start.mjs" },
    isHosted: true,
  },
  mcp: {
    dependencies: { "@modelcontextprotocol/sdk": "^1.20.0", zod: "^4.0.0" },
    call: "The tool `count`",
    endpoints: (origin) => [{ POST: `${origin}/mcp` }, { POST: "/tools/:name" }],
    isHosted: true,
  },
  fastapi: { dependencies: {}, scripts: { start: "node start.mjs" } },
};

/** The manifest of a project. */
export const manifestOf = ({ name, stack }) => ({
  name,
  private: true,
  type: "module",
  scripts: {
    start: START,
    pay: "node --import ./env.mjs pay.mjs",
    test: "node --import ./env.mjs --test agent.test.mjs",
    ...STACKS[stack].scripts,
  },
  dependencies: { "@turnpike/payments": `file:${PACKAGE_FILE}`, ...STACKS[stack].dependencies },
});

/** What of a project is paid, as its README says it. */
export const callOf = (stack) => STACKS[stack].call ?? "`POST /ask`";

/** The addresses that the agent is registered with. Where the gate has its one route only, Turnpike hosts the definition. */
export const addressesOf = (stack, { origin, url }) => ({
  endpoints: STACKS[stack].endpoints?.(origin) ?? [{ POST: `${origin}/ask` }],
  ...(STACKS[stack].isHosted && {
    agentDefinitionUrl: `${url}/api/v1/protocol/agents/:agentId/openapi.json`,
  }),
});
