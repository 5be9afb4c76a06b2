import { type Change, STRANGER } from "./question-draft.ts";

const at =
  (url: string): Change =>
  ({ question: { request } }) => {
    request.requirement.resource = { url };
  };

/** What can be otherwise about a requirement's offers. */
const ofOffers: Record<string, Change> = {
  "offer for another plan": ({ offer }) => {
    offer.planId = "43";
    offer.extra = { ...offer.extra, planId: "43" };
  },
  "plan named inside only": ({ offer }) => {
    offer.planId = undefined;
  },
  "plan named outside only": ({ offer }) => {
    offer.extra = { ...offer.extra, planId: undefined };
  },
  "plan named nowhere": ({ offer }) => {
    offer.planId = undefined;
    offer.extra = { ...offer.extra, planId: undefined };
  },
  "another scheme": ({ offer }) => {
    offer.scheme = offer.scheme === "svc:erc4337" ? "svc:card-delegation" : "svc:erc4337";
  },
  "unknown scheme": ({ offer }, { pick }) => {
    offer.scheme = pick(["svc:none", "exact", "other:erc4337"]);
  },
  "scheme of another brand": ({ offer }) => {
    offer.scheme = offer.scheme.replace("svc:", "nvm:");
  },
  "both schemes": ({ offer, question: { request } }) => {
    const other = offer.scheme === "svc:erc4337" ? "svc:card-delegation" : "svc:erc4337";
    request.requirement.accepts.unshift({ scheme: other, planId: "42" });
  },
  "another plan too": ({ offer, question: { request } }) => {
    request.requirement.accepts.unshift({ ...offer, planId: "43" });
  },
  "another network": ({ offer }, { pick }) => {
    offer.network = pick(["eip155:8453", "counter", "Stripe"]);
  },
  "network of another brand": ({ offer }, { pick }) => {
    offer.network = pick(["stripe", "card:processor"]);
  },
  "network left out": ({ offer }) => {
    offer.network = undefined;
  },
  "amount left out": ({ offer }) => {
    offer.amount = undefined;
  },
  "extra left out": ({ offer }) => {
    offer.extra = undefined;
  },
};

/** What can be otherwise about the agent, and what a token is bound to. */
const ofAgent: Record<string, Change> = {
  "agent unknown": ({ question: { facts } }) => {
    facts.agent = null;
  },
  "agent of another": ({ agent }) => {
    agent.owner = STRANGER;
  },
  "agent not linked": ({ agent }) => {
    agent.isLinked = false;
  },
  "agent without endpoints": ({ agent }) => {
    agent.endpoints = [];
  },
  "agent named by the token only": ({ offer, document }) => {
    offer.extra = { ...offer.extra, agentId: undefined };
    document.authorization.agentId = "7";
  },
  "agent named by the offer only": ({ document }) => {
    document.authorization.agentId = undefined;
  },
  "no agent": ({ offer, document, question: { facts } }, { pick }) => {
    offer.extra = { ...offer.extra, agentId: undefined };
    document.authorization.agentId = pick([undefined, ""]);
    facts.agent = null;
  },
  "token for another agent": ({ document }) => {
    document.authorization.agentId = "8";
  },
  "another path": at("https://agent.example/other"),
  "a longer path": at("https://agent.example/ask/more"),
  "a path in two parts": at("https://agent.example/as/k"),
  "a path with an encoded slash": at("https://agent.example/ask%2Fmore"),
  "a placeholder": ({ offer, question: { request } }) => {
    offer.extra = { ...offer.extra, httpVerb: "POST" };
    request.requirement.resource = { url: "https://agent.example/tasks/17" };
  },
  "a placeholder, too long": at("https://agent.example/tasks/17/18"),
  "another origin": at("http://10.0.0.1:8080/ask?x=/other#y"),
  "no URL": ({ question: { request } }) => {
    request.requirement.resource = undefined;
  },
  HEAD: ({ offer }) => {
    offer.extra = { ...offer.extra, httpVerb: "HEAD" };
  },
  "another verb": ({ offer }) => {
    offer.extra = { ...offer.extra, httpVerb: "DELETE" };
  },
  "no verb": ({ offer }) => {
    offer.extra = { ...offer.extra, httpVerb: undefined };
  },
  "bound to its path": ({ document }, { pick }) => {
    document.authorization.resource = pick([
      "https://agent.example/ask",
      "https://elsewhere.example/ask?x=1",
    ]);
  },
  "bound to another path": ({ document }) => {
    document.authorization.resource = "https://agent.example/other";
  },
  "bound to a path in two parts": ({ document }) => {
    document.authorization.resource = "https://agent.example/as/k";
  },
  "bound to a path with a backslash": ({ document }) => {
    document.authorization.resource = "https://agent.example/ask%5Cmore";
  },
  "bound to its verb": ({ document, offer }) => {
    document.authorization.httpVerb = offer.extra?.httpVerb ?? "POST";
  },
  "bound to GET": ({ document }) => {
    document.authorization.httpVerb = "GET";
  },
  "bound to another verb": ({ document }) => {
    document.authorization.httpVerb = "PUT";
  },
};

export const REQUIREMENT_CHANGES = { ...ofOffers, ...ofAgent };
