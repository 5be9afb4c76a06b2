/** Schemes for stock x402 clients and servers: what `@turnpike/payments/x402` exports. */
export { createX402ClientScheme, type X402ClientSchemeOptions } from "./client-scheme.ts";
export { createX402ServerScheme } from "./server-scheme.ts";
