import { canParseUrl, readNetwork, readScheme } from "@turnpike/payments/protocol";
import { judgeDirectOffer, judgeEarlierVersion, numbered } from "@/lib/playground/foreign-offer.ts";
import { plural } from "@/lib/text/plural.ts";
import { textOf } from "@/lib/text/text-of.ts";
import { isJson, type Json, member } from "../foreign-text.ts";
import {
  agentIdIn,
  type Check,
  caution,
  either,
  envelopeOf,
  error,
  fault,
  isEarlier,
  isJsonRpc,
  type Known,
  offerHeader,
  offersOf,
  onAsked,
  onEnvelope,
  pass,
  planIdIn,
  planOffersOf,
  type Recording,
  skip,
  type Verdict,
  warning,
} from "./check.ts";
import { leakIn } from "./leak-in.ts";

const MAX_DESCRIPTION = 500;

export const ENVELOPE_CHECKS: readonly Check[] = [
  {
    ...error("D03", "Readable offer"),
    run: onAsked(({ ask }) => {
      if (offerHeader(ask) === null && envelopeOf(ask)) {
        return pass("The body is an offer of x402 version 1.");
      }
      if (offerHeader(ask) === null) {
        return fault(
          "The 402 has no offer: the payment-required header is missing.",
          "Send the envelope as base64-encoded JSON in the payment-required header.",
        );
      }
      return envelopeOf(ask)
        ? pass("The payment-required header is base64-encoded JSON.")
        : fault("The payment-required header is not a base64-encoded JSON object.");
    }),
  },
  {
    ...error("D04", "x402 version 2"),
    run: onEnvelope((envelope) => {
      const version = either(envelope, "x402Version");
      if (isEarlier(envelope)) {
        return pass("x402Version is 1, the version before. Clients of version 2 do not pay it.");
      }
      return version === 2
        ? pass("x402Version is 2.")
        : fault(`x402Version is ${brief(version)}, not 2.`, "Send x402Version: 2 as a number.");
    }),
  },
  {
    ...error("D05", "Correct resource URL"),
    run: onEnvelope((envelope, { ask, pattern }) => {
      const url = isEarlier(envelope)
        ? member(offersOf(envelope)[0], "resource")
        : member(envelope.resource, "url");
      if (isJsonRpc(ask)) return skip("A tool is named by its own scheme.");
      if (typeof url !== "string" || !canParseUrl(url)) {
        return fault(`resource.url is ${brief(url)}, which is not an absolute URL.`);
      }
      const named = plainUrl(url);
      return named === plainUrl(ask.url) || named === plainUrl(pattern)
        ? pass("resource.url matches the requested URL.")
        : fault(
            `resource.url is ${brief(url)}, but the request went to ${plainUrl(ask.url)}.`,
            "Behind a proxy, forward the original host and scheme so that the gate sends the public URL.",
          );
    }),
  },
  {
    ...error("D06", "Method in extra"),
    run: onEnvelope((envelope, { verb, known }) => {
      const offers = planOffersOf(envelope, known);
      if (offers.length === 0) return skip("Only offers of plans name a method.");
      if (either(envelope.resource, "httpVerb") !== undefined) {
        return fault(
          "httpVerb is in resource, so clients cannot pay this offer.",
          "Move httpVerb from resource to the extra field of each offer.",
        );
      }
      const wrong = offers.find(
        (offer) => textOf(either(offer.extra, "httpVerb")).toUpperCase() !== verb,
      );
      return wrong
        ? fault(
            `extra.httpVerb is ${brief(either(wrong.extra, "httpVerb"))}, not ${verb}.`,
            `Set httpVerb: "${verb}" in the extra field of each offer.`,
          )
        : pass("httpVerb is in extra.");
    }),
  },
  {
    ...error("D07", "Offers follow their scheme"),
    run: onEnvelope((envelope, { known }) => {
      const offers = offersOf(envelope);
      if (offers.length === 0) return fault("accepts is empty.");
      const plans = planOffersOf(envelope, known);
      const facts = isEarlier(envelope)
        ? judgeEarlierVersion(envelope)
        : numbered(offers, (offer) => (plans.includes(offer) ? [] : judgeDirectOffer(offer)));
      const wrong = facts.find(({ holds }) => holds === false);
      if (wrong) {
        return fault(
          `${wrong.name} is ${brief(wrong.value)}, and ${wrong.note}.`,
          "Fix the value in the route, so that clients of this scheme can pay.",
        );
      }
      for (const offer of plans) {
        const scheme = readScheme(textOf(offer.scheme), known.schemeAliases);
        if (!scheme) continue;
        const wanted = known.networks[scheme];
        if (readNetwork(textOf(offer.network)) !== wanted) {
          return fault(
            `${scheme} settles on ${wanted}, not on ${brief(offer.network)}.`,
            "Remove scheme and network from the route: the gate takes both from the plan.",
          );
        }
      }
      const count = plural(offers.length, "offer");
      return plans.length === offers.length
        ? pass(`${count}, all settled by this service.`)
        : pass(`${count}, each by the rules of its scheme.`);
    }),
  },
  {
    ...error("D08", "Plans exist and match"),
    run: onEnvelope((envelope, { known }) => {
      const offers = offersOf(envelope).filter((o) =>
        readScheme(textOf(o.scheme), known.schemeAliases),
      );
      if (offers.length === 0) return skip("No offer has a known scheme (D07).");
      for (const offer of offers) {
        const planId = planIdIn(offer);
        if (planId === null) return fault("An offer has no plan.", "Add a planId to each offer.");
        const plan = known.plans[planId];
        if (plan === undefined) continue;
        if (plan === null)
          return fault(`Plan ${planId} was not found.`, "Use the ID of one of your plans.");
        const isCard =
          readScheme(textOf(offer.scheme), known.schemeAliases) === "svc:card-delegation";
        if (isCard === plan.isCrypto) {
          return fault(
            `“${plan.name}” is paid ${plan.isCrypto ? "on chain" : "by card"}, but the offer says ${brief(offer.scheme)}.`,
            "Remove the scheme from the route: the gate takes it from the plan.",
          );
        }
      }
      return (
        judgeArchived(envelope, offers, known) ?? pass("Every plan exists and matches its scheme.")
      );
    }),
  },
  {
    ...error("D09", "Agent exists and has the plan"),
    run: onEnvelope((envelope, recording) => judgeAgent(envelope, recording)),
  },
  {
    ...warning("D10", "Extensions is an object"),
    run: onEnvelope((envelope, { known }) =>
      envelope.extensions === undefined && planOffersOf(envelope, known).length === 0
        ? pass("There are no extensions.")
        : isJson(envelope.extensions)
          ? pass("extensions is an object.")
          : fault("extensions is not an object.", "Send extensions: {}."),
    ),
  },
  {
    ...warning("D11", "Short description"),
    run: onEnvelope((envelope) => {
      const text = member(envelope.resource, "description");
      const length = typeof text === "string" ? text.length : 0;
      return length <= MAX_DESCRIPTION
        ? pass(length === 0 ? "It has no description." : `The description is ${length} characters.`)
        : fault(`The description is ${length} characters. Some facilitators reject more than 500.`);
    }),
  },
  {
    ...error("D16", "No secrets or internal hosts"),
    run: onEnvelope((envelope, { ask }) => {
      const found = leakIn(envelope, new URL(ask.url).hostname);
      return found
        ? fault(
            `The offer, which is public, contains ${found}.`,
            "Remove it from the route's text fields.",
          )
        : pass("The offer contains no secrets or internal hosts.");
    }),
  },
];

/** A warning where no offer can be ordered: existing subscribers may still pay, so it may be meant so. */
function judgeArchived(envelope: Json, offers: readonly Json[], { plans }: Known): Verdict | null {
  const offered = offers.map((offer) => plans[planIdIn(offer) ?? ""]);
  // By `exact`, an archived plan is refused as well.
  const isPaidOtherwise = offersOf(envelope).some(
    (offer) => !offers.includes(offer) && !plans[planIdIn(offer) ?? ""]?.isArchived,
  );
  if (isPaidOtherwise || !offered.every((plan) => plan?.isArchived)) return null;
  return caution(
    offered.length === 1
      ? `Plan “${offered[0]?.name}” is archived, so only callers who have credits of it can pay.`
      : "All plans are archived, so only callers who have credits of them can pay.",
    "Restore the plan, or offer another one in the route.",
  );
}

function judgeAgent(envelope: Json, { known, agentId }: Recording) {
  const offers = planOffersOf(envelope, known);
  if (offers.length === 0) return skip("Only offers of plans name an agent.");
  const named = offers.map(agentIdIn);
  const fix = agentId ? `Set agentId: "${agentId}" in the gate's route.` : undefined;
  for (const [index, id] of named.entries()) {
    if (id === null) {
      if (!agentId) continue;
      return fault("An offer has no agent, so its calls are not counted for this agent.", fix);
    }
    const agent = known.agents[id];
    if (agent === null) return fault(`Agent ${id} was not found.`, fix);
    if (agentId && id !== agentId) return fault(`The offer names a different agent, ${id}.`, fix);
    const planId = planIdIn(offers[index] as Json);
    if (agent && planId && known.plans[planId] && !agent.planIds.includes(planId)) {
      return fault(
        `Plan ${planId} is not linked to agent ${id}, so its tokens are rejected.`,
        "Link the plan to the agent under Plans, or offer a different plan.",
      );
    }
  }
  return pass(
    named.some((id) => id !== null)
      ? "The agent exists and has the plan."
      : "The offer has no agent.",
  );
}

const brief = (value: unknown): string =>
  value === undefined ? "missing" : JSON.stringify(value).slice(0, 120);

function plainUrl(url: string): string {
  if (!canParseUrl(url)) return url;
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/%7B/gi, "{").replace(/%7D/gi, "}").replace(/\/$/, "");
}
