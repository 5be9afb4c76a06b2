import { readNetwork, readScheme } from "@turnpike/payments/protocol";
import { isJson, type Json, member } from "../foreign-text.ts";
import {
  agentIdIn,
  type Check,
  either,
  envelopeOf,
  fault,
  offerHeader,
  offersOf,
  onAsked,
  onEnvelope,
  pass,
  planIdIn,
  type Recording,
  skip,
} from "./check.ts";

const MAX_DESCRIPTION = 500;

/** Checks of what the 402 asks for. */
export const ENVELOPE_CHECKS: readonly Check[] = [
  {
    id: "D03",
    severity: "error",
    title: "The offer can be read",
    run: onAsked(({ ask }) => {
      if (offerHeader(ask) === null) {
        return fault(
          "402 without an offer: the payment-required header is missing.",
          "Send the envelope as base64 of its JSON in the payment-required header.",
        );
      }
      return envelopeOf(ask)
        ? pass("The payment-required header is base64 of JSON.")
        : fault("The payment-required header is not base64 of a JSON object.");
    }),
  },
  {
    id: "D04",
    severity: "error",
    title: "x402 version 2",
    run: onEnvelope((envelope) => {
      const version = either(envelope, "x402Version");
      return version === 2
        ? pass("x402Version is 2.")
        : fault(`x402Version is ${brief(version)}, not 2.`, "Send x402Version: 2 as a number.");
    }),
  },
  {
    id: "D05",
    severity: "error",
    title: "Names its own URL",
    run: onEnvelope((envelope, { ask, pattern }) => {
      const url = member(envelope.resource, "url");
      if (typeof url !== "string" || !URL.canParse(url)) {
        return fault(`resource.url is ${brief(url)}, not an absolute URL.`);
      }
      const named = plainUrl(url);
      return named === plainUrl(ask.url) || named === plainUrl(pattern)
        ? pass("resource.url is the URL that was called.")
        : fault(
            `resource.url is ${brief(url)}; called was ${plainUrl(ask.url)}.`,
            "Behind a proxy, pass the original host and scheme on, so that the gate writes the public URL.",
          );
    }),
  },
  {
    id: "D06",
    severity: "error",
    title: "The method stands in extra",
    run: onEnvelope((envelope, { verb }) => {
      if (either(envelope.resource, "httpVerb") !== undefined) {
        return fault(
          "httpVerb stands in resource, so no client can pay this.",
          "Move httpVerb from resource into the extra of each offer.",
        );
      }
      const wrong = offersOf(envelope).find(
        (offer) => String(either(offer.extra, "httpVerb")).toUpperCase() !== verb,
      );
      return wrong
        ? fault(
            `extra.httpVerb is ${brief(either(wrong.extra, "httpVerb"))}, not ${verb}.`,
            `Put httpVerb: "${verb}" into the extra of each offer.`,
          )
        : pass("httpVerb stands in extra.");
    }),
  },
  {
    id: "D07",
    severity: "error",
    title: "Scheme and network fit",
    run: onEnvelope((envelope, { known }) => {
      const offers = offersOf(envelope);
      if (offers.length === 0) return fault("accepts holds no offer.");
      for (const offer of offers) {
        const scheme = readScheme(String(offer.scheme), known.schemeAliases);
        if (!scheme)
          return fault(`The scheme ${brief(offer.scheme)} is not one this service settles.`);
        const wanted = known.networks[scheme];
        if (readNetwork(String(offer.network)) !== wanted) {
          return fault(
            `${scheme} settles on ${wanted}, not on ${brief(offer.network)}.`,
            "Leave scheme and network out of the route: the gate takes both from the plan.",
          );
        }
      }
      return pass(
        `${offers.length === 1 ? "One offer" : `${offers.length} offers`}, each settled here.`,
      );
    }),
  },
  {
    id: "D08",
    severity: "error",
    title: "Its plans exist and fit",
    run: onEnvelope((envelope, { known }) => {
      const offers = offersOf(envelope).filter((o) =>
        readScheme(String(o.scheme), known.schemeAliases),
      );
      if (offers.length === 0) return skip("No offer is in a known scheme (D07).");
      for (const offer of offers) {
        const planId = planIdIn(offer);
        if (planId === null) return fault("An offer names no plan.", "Give each offer its planId.");
        const plan = known.plans[planId];
        if (plan === undefined) continue;
        if (plan === null)
          return fault(`There is no plan ${planId}.`, "Use one of your plans' ids.");
        const isCard =
          readScheme(String(offer.scheme), known.schemeAliases) === "svc:card-delegation";
        if (isCard === plan.isCrypto) {
          return fault(
            `'${plan.name}' is ${plan.isCrypto ? "not paid by card" : "paid by card"}; the offer says ${brief(offer.scheme)}.`,
            "Leave the scheme out of the route: the gate takes it from the plan.",
          );
        }
      }
      return pass("Each plan exists and settles by its scheme.");
    }),
  },
  {
    id: "D09",
    severity: "error",
    title: "Its agent exists and has the plan",
    run: onEnvelope((envelope, recording) => judgeAgent(envelope, recording)),
  },
  {
    id: "D10",
    severity: "warning",
    title: "Extensions are an object",
    run: onEnvelope((envelope) =>
      isJson(envelope.extensions)
        ? pass("extensions is an object.")
        : fault("extensions is not an object.", "Send extensions: {}."),
    ),
  },
  {
    id: "D11",
    severity: "warning",
    title: "A short description",
    run: onEnvelope((envelope) => {
      const text = member(envelope.resource, "description");
      const length = typeof text === "string" ? text.length : 0;
      return length <= MAX_DESCRIPTION
        ? pass(length === 0 ? "No description." : `${length} characters.`)
        : fault(
            `The description has ${length} characters; some facilitators refuse more than 500.`,
          );
    }),
  },
  {
    id: "D16",
    severity: "error",
    title: "No secret, no inside host",
    run: onEnvelope((envelope, { ask }) => {
      const found = leakIn(envelope, new URL(ask.url).hostname);
      return found
        ? fault(
            `The envelope holds ${found}; everybody can read it.`,
            "Take it out of the route's texts.",
          )
        : pass("Nothing in the envelope that should stay inside.");
    }),
  },
];

function judgeAgent(envelope: Json, { known, agentId }: Recording) {
  const offers = offersOf(envelope);
  const named = offers.map(agentIdIn);
  const fix = agentId ? `Set agentId: "${agentId}" in the gate's route.` : undefined;
  for (const [index, id] of named.entries()) {
    if (id === null) {
      if (!agentId) continue;
      return fault("An offer names no agent, so its calls are not counted for this one.", fix);
    }
    const agent = known.agents[id];
    if (agent === null) return fault(`There is no agent ${id}.`, fix);
    if (agentId && id !== agentId) return fault(`The offer names agent ${id}, not this one.`, fix);
    const planId = planIdIn(offers[index] as Json);
    if (agent && planId && known.plans[planId] && !agent.planIds.includes(planId)) {
      return fault(
        `Plan ${planId} is not linked to agent ${id}, so its tokens are refused.`,
        "Link the plan to the agent under Plans, or offer another plan.",
      );
    }
  }
  return pass(
    named.some((id) => id !== null) ? "The agent exists and has the plan." : "No agent is named.",
  );
}

const SECRETS: [RegExp, string][] = [
  [/svc-(sandbox|live):[\w-]+\./, "an API key of this service"],
  [/\b(sk|rk)_(live|test)_\w{6,}/, "a card processor's key"],
  [/\b(ghp|gho|xox[abp])[_-]\w{10,}/, "a credential"],
  [/\bBearer\s+[\w.~+/-]{16,}/i, "a bearer token"],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----/, "a private key"],
  [/\{\{.*?\}\}|\$\{.*?\}|<[A-Z][A-Z_]{2,}>|\bYOUR_[A-Z_]+|\bTODO\b/, "a placeholder"],
];
const INSIDE =
  /\b(localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|172\.(1[6-9]|2\d|3[01])\.\d+\.\d+|169\.254\.\d+\.\d+|[\w-]+\.(internal|local|svc\.cluster\.local))\b/gi;

function leakIn(envelope: Json, calledHost: string): string | null {
  const text = JSON.stringify(envelope);
  const secret = SECRETS.find(([pattern]) => pattern.test(text));
  if (secret) return secret[1];
  // An agent on this very machine names it rightly.
  const inside = text.match(INSIDE)?.find((host) => host.toLowerCase() !== calledHost);
  return inside ? `an inside host (${inside})` : null;
}

const brief = (value: unknown): string =>
  value === undefined ? "missing" : JSON.stringify(value).slice(0, 120);

function plainUrl(url: string): string {
  if (!URL.canParse(url)) return url;
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/%7B/gi, "{").replace(/%7D/gi, "}").replace(/\/$/, "");
}
