import type { OperationName, OutputOf } from "@turnpike/payments/protocol";
import { HOSTED_DEFINITION, hostedDefinition } from "@/lib/console/hosted-definition.ts";

/** A document at a path of the origin: the answer of a public read, in the form its readers know. */
export type RootDocument = {
  operation: OperationName;
  /** Replaces the request's query. */
  query?: Record<string, string>;
  shape?: (answer: never, origin: string) => object;
};

const MANIFEST_SIZE = "100";

const manifest: RootDocument = {
  operation: "listResources",
  query: { limit: MANIFEST_SIZE },
  shape: ({ items, ranking }: OutputOf<"listResources">, origin) => ({
    version: 1,
    x402Version: 2,
    resources: items.map(({ resource }) => resource),
    items,
    ranking,
    discovery: `${origin}/discovery/resources`,
    facilitator: `${origin}/api/v1/x402`,
    mcp: `${origin}/api/v1/mcp`,
    jwks: `${origin}/.well-known/jwks.json`,
  }),
};

/** What agents look for below the origin, by path. */
export const ROOT_DOCUMENTS: Record<string, RootDocument> = {
  "/discovery/resources": { operation: "listResources" },
  "/discovery/search": { operation: "searchResources" },
  [HOSTED_DEFINITION]: { operation: "getAgent", shape: hostedDefinition },
  "/.well-known/x402": manifest,
  "/.well-known/x402.json": manifest,
  "/.well-known/jwks.json": { operation: "getSigningKeys" },
  "/.well-known/did.json": {
    operation: "getSigningKeys",
    // Each key by the name that its statements carry, also one that an earlier origin gave it.
    shape: ({ keys }: OutputOf<"getSigningKeys">) => {
      const id = keys[0]?.kid.split("#")[0];
      return {
        "@context": [
          "https://www.w3.org/ns/did/v1",
          "https://w3id.org/security/suites/jws-2020/v1",
        ],
        id,
        verificationMethod: keys.map(({ kid, kty, crv, x, y }) => ({
          id: kid,
          type: "JsonWebKey2020",
          controller: id,
          publicKeyJwk: { kty, crv, x, y },
        })),
        assertionMethod: keys.map(({ kid }) => kid),
      };
    },
  },
};

/** Whether the API answers a path that is not below its own. */
export const isRootDocument = (url: string): boolean =>
  Object.hasOwn(ROOT_DOCUMENTS, url.split("?", 1)[0] ?? "");
