import {
  normalizePath,
  type PaymentOffer,
  pathOf,
  type TokenAuthorization,
} from "@turnpike/payments/protocol";
import { matchesEndpoint, withAgentId } from "../plans/agent-url.ts";
import type { Cause } from "./causes.ts";
import type { PermissionFacts } from "./permission-facts.ts";
import type { PermissionRequest } from "./permission-request.ts";

type AgentQuestion = {
  authorization: TokenAuthorization;
  agentId: string | null;
  offer: PaymentOffer;
  request: PermissionRequest;
  facts: PermissionFacts;
  /** A request that is reserved was checked when it began: agents may change meanwhile. */
  isHeld: boolean;
  /** Its offer spells the scheme with another brand's prefix. */
  isAlias: boolean;
};

/** Why the request is not one of the agent's the token is for, or null. */
export function findAgentFault(question: AgentQuestion): Cause | null {
  const { authorization, agentId, offer, isHeld, isAlias } = question;
  const { requirement } = question.request;
  const { agent, plan } = question.facts;
  const verb = offer.extra?.httpVerb?.toUpperCase();
  const url = requirement.resource?.url;
  if (authorization.agentId && agentId !== authorization.agentId) return "other_agent";
  if (authorization.httpVerb && verb !== authorization.httpVerb.toUpperCase()) return "other_verb";
  if (authorization.resource && !isSamePath(authorization.resource, url)) return "other_resource";
  if (agentId === null) return null;
  if (!agent || agent.owner !== plan?.owner) return "unknown_agent";
  if (isHeld) return null;
  if (!agent.isLinked) return "plan_not_linked";
  if (isAlias) return null;
  const asked = url && withAgentId(url, agentId);
  return matchesEndpoint(agent.endpoints, verb, asked) ? null : "endpoint_not_registered";
}

/** A path that cannot be read is the same as none. */
function isSamePath(bound: string, url: string | undefined): boolean {
  const path = normalizePath(pathOf(bound));
  if (path === null || url === undefined) return false;
  return path.join("/") === normalizePath(pathOf(url))?.join("/");
}
