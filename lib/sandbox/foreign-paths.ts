/** Where the sellers of the stock x402 middleware are on the demo agent's port. */
export const FOREIGN_PATHS = { hono: "/foreign/hono", express: "/foreign/express" } as const;
