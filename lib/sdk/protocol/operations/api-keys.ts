import * as z from "zod/mini";
import { CreateDelegationPayload } from "../delegation.ts";
import { Count, plainText } from "../primitives.ts";
import { NewDelegation } from "./delegations.ts";
import { sampleLimits } from "./examples.ts";
import { defineOperations } from "./operation.ts";
import { Done, Nothing } from "./shared.ts";

const ApiKeySummary = z.object({
  keyId: z.string(),
  name: z.string(),
  last4: z.string(),
  createdAt: z.string(),
  expiresAt: z.string(),
  lastUsedAt: z.optional(z.string()),
  status: z.enum(["Active", "Revoked", "Expired"]),
  /** The delegation under which the key creates tokens and orders on its own. */
  rootDelegationId: z.optional(z.string()),
});

/** What a key may spend on its own: one delegation, under which its tokens and orders are created. */
const RootLimit = z.pick(CreateDelegationPayload, {
  spendingLimitCents: true,
  durationSecs: true,
  currency: true,
  maxTransactions: true,
});

export const apiKeys = /* @__PURE__ */ defineOperations(
  { name: "apiKeys", section: "API keys" },
  {
    /** Creates an API key. Only this answer shows it. */
    createApiKey: {
      method: "POST",
      path: "/api-keys",
      summary: "Create an API key, which is shown only once",
      sample: () => ({ name: "another", durationSecs: 3600, rootLimit: sampleLimits }),
      input: z.object({
        name: z.pipe(plainText(80), z.string().check(z.minLength(1))),
        durationSecs: z.optional(
          z.pipe(Count, z.number().check(z.minimum(60), z.maximum(100 * 31_557_600))),
        ),
        /** Lets the key create tokens and orders on its own, up to this limit. */
        rootLimit: z.optional(RootLimit),
      }),
      output: z.object({
        apiKey: z.string(),
        keyId: z.string(),
        expiresAt: z.string(),
        rootDelegation: z.optional(NewDelegation),
      }),
    },
    /** Lists your API keys, without the keys themselves. */
    listApiKeys: {
      method: "GET",
      path: "/api-keys",
      summary: "List your API keys, without the keys themselves",
      input: Nothing,
      output: z.object({ items: z.array(ApiKeySummary) }),
    },
    /** Revokes an API key. Its next request is rejected. */
    revokeApiKey: {
      method: "DELETE",
      path: "/api-keys/:keyId",
      summary: "Revoke an API key; its next request is rejected",
      args: (keyId: string) => ({ keyId }),
      input: z.object({ keyId: z.string().check(z.maxLength(80)) }),
      output: Done,
    },
  },
);
