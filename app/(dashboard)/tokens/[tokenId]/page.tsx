import type { OutputOf } from "@turnpike/payments/protocol";
import { cache } from "react";
import { read, readPublic } from "@/app/_session/operations.ts";
import { priceOf } from "@/components/checkout/plan-price.ts";
import { DelegationMeter } from "@/components/delegations/delegation-meter.tsx";
import { DelegationStatePill } from "@/components/delegations/delegation-state-pill.tsx";
import { nameOf } from "@/components/delegations/delegation-text.ts";
import type { Routed } from "@/components/search-params.ts";
import { Visited } from "@/components/shell/visited.tsx";
import { mintAgainHref } from "@/components/tokens/mint-again.ts";
import { RevokeTokenButton } from "@/components/tokens/revoke-token.tsx";
import { tokenLimits } from "@/components/tokens/token-limits.ts";
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { Card } from "@/components/ui/card.tsx";
import { DefinitionList, type Definitions } from "@/components/ui/data/definition-list.tsx";
import { PageHeader, Section } from "@/components/ui/page-header.tsx";
import { Identifier } from "@/components/ui/values/identifier.tsx";
import { StatePill } from "@/components/ui/values/state-pill.tsx";
import { TimeAgo } from "@/components/ui/values/time-ago.tsx";
import { getRunning } from "@/lib/server/running.ts";
import { revokeToken } from "../actions.ts";

const readToken = cache((tokenId: string) => read("getToken", { tokenId }));

export async function generateMetadata({ params }: Routed<"tokenId">) {
  const token = await readToken((await params).tokenId).catch(() => null);
  return { title: token ? `Token for ${token.planName}` : "Token" };
}

type Token = OutputOf<"getToken">;
export default async function TokenPage({ params }: Routed<"tokenId">) {
  const { tokenId } = await params;
  const { ports, chain } = await getRunning();
  const [token, at] = await Promise.all([readToken(tokenId), ports.clock.now()]);
  const plan = await readPublic("getPlan", { planId: token.planId });
  const price = plan && priceOf(plan, chain.deployment.usdc);
  const now = at.toISOString();
  const { delegation, status } = token;
  const isActive = status === "Active";
  return (
    <>
      <Visited
        href={`/tokens/${tokenId}`}
        name={`Token for ${token.planName}`}
        kind="Access token"
      />
      <PageHeader
        title={`Token for ${token.planName}`}
        aside={
          <>
            <StatePill state={status} />
            <Identifier value={tokenId} name="token ID" />
          </>
        }
        actions={
          <>
            {isActive && <RevokeTokenButton token={token} revokeToken={revokeToken} />}
            <ButtonLink look="primary" href={mintAgainHref(token)}>
              Mint again with same options
            </ButtonLink>
          </>
        }
      >
        The token itself was shown once, when you minted it.
      </PageHeader>
      <div className="grid gap-6 lg:grid-cols-2">
        <Card>
          <DefinitionList look="split" items={factsOf(token)} />
        </Card>
        <Card>
          <DefinitionList look="split" items={tokenLimits(token, price)} />
        </Card>
      </div>
      <Section id="delegation" title="Delegation">
        <Card className="grid gap-4">
          <div className="flex flex-wrap items-center gap-3">
            <h3 className="wrap-anywhere text-h3">{nameOf(delegation)}</h3>
            <DelegationStatePill delegation={delegation} />
            <ButtonLink
              size="small"
              className="ms-auto"
              href={`/delegations/${delegation.delegationId}`}
            >
              View delegation
            </ButtonLink>
          </div>
          <DelegationMeter delegation={delegation} now={now} />
        </Card>
      </Section>
    </>
  );
}

const factsOf = (token: Token): Definitions => ({
  Plan: token.planName,
  Agent: token.agentName ?? "Any agent on this plan",
  Minted: <TimeAgo at={token.issuedAt} form="full" />,
  ...(token.revokedAt
    ? { Revoked: <TimeAgo at={token.revokedAt} form="full" /> }
    : {
        [token.status === "Expired" ? "Expired" : "Expires"]: (
          <TimeAgo at={token.expiresAt} form="full" />
        ),
      }),
  "Last used": token.lastUsedAt ? <TimeAgo at={token.lastUsedAt} /> : "Never",
});
