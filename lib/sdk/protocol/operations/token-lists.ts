import { TokenDetails, TokenQuery, TokenSummary } from "../holdings.ts";
import { pageOf } from "../listing.ts";
import { samplePage } from "./examples.ts";
import { defineCalls, serveCalls } from "./operation.ts";
import { byToken, TokenRef } from "./tokens.ts";

export const tokenLists = /* @__PURE__ */ defineCalls({
  /** Lists your access tokens, without the tokens themselves. */
  listTokens: {
    route: "GET /x402/permissions",
    input: TokenQuery,
    output: pageOf(TokenSummary),
  },
  /** Gets one of your access tokens with its limits and its delegation. Throws `not_found`. */
  getToken: {
    route: "GET /x402/permissions/:tokenId",
    args: byToken,
    input: TokenRef,
    output: TokenDetails,
  },
});

export const tokenListOperations = /* @__PURE__ */ serveCalls(
  { name: "tokens", section: "Access tokens", scope: "tokens" },
  tokenLists,
  {
    listTokens: {
      summary: "List your access tokens, without the tokens themselves",
      sample: ({ planId, agentId, spare }) => ({
        ...samplePage,
        planId,
        agentId,
        delegationId: spare.delegationId,
      }),
    },
    getToken: {
      summary: "Get one of your access tokens with its limits and its delegation",
      sample: ({ spare }) => ({ tokenId: spare.tokenId }),
    },
  },
);
