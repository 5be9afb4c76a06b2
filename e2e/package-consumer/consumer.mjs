// Run by plain Node where the package is installed: gates a small agent and, when a sandbox runs,
// buys from its agent. Prints the result as one line of JSON.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createNodeListener, getFreePriceConfig, Payments } from "@turnpike/payments";
import { decodePaymentRequired, toJson } from "@turnpike/payments/protocol";

const serve = (server) =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const close = () => new Promise((done) => server.close(done));
      resolve({ origin: `http://127.0.0.1:${server.address().port}`, close });
    });
  });

const plan = {
  id: "42",
  planId: "42",
  owner: "0x0000000000000000000000000000000000000000",
  state: "listed",
  version: 1,
  scheme: "svc:erc4337",
  metadata: {
    main: { name: "Plan" },
    plan: { accessLimit: "credits", isTrialPlan: false },
  },
  registry: {
    price: getFreePriceConfig(),
    credits: { isRedemptionAmountFixed: true, amount: "100", minAmount: "2", maxAmount: "2" },
  },
  createdAt: "2026-01-01T00:00:00Z",
  updatedAt: "2026-01-01T00:00:00Z",
};

async function gateAnAgent() {
  const claims = { sub: "0x52908400098527886E0F7030069857D2E4169EE7" };
  const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const service = await serve(
    createServer((_request, response) => {
      response.setHeader("content-type", "application/json");
      response.end(toJson(plan));
    }),
  );
  const payments = Payments.getInstance({
    apiKey: `svc-sandbox:${part({ alg: "none" })}.${part(claims)}.${part("x")}`,
    environment: "sandbox",
    baseUrl: service.origin,
  });
  const routes = { "POST /ask": { planId: "42" } };
  const agent = await serve(
    createServer(
      createNodeListener(payments, routes, (_request, response) => response.end("hello")),
    ),
  );
  const gated = await fetch(`${agent.origin}/ask`, { method: "POST" });
  const open = await fetch(`${agent.origin}/free`);
  const requirement = decodePaymentRequired(gated.headers.get("payment-required"));
  const seen = {
    gated: gated.status,
    open: open.status,
    code: (await gated.json()).code,
    amount: requirement.accepts[0].amount,
  };
  await Promise.all([service.close(), agent.close()]);
  return seen;
}

async function buyFromTheSandbox(path) {
  const sandbox = JSON.parse(await readFile(path, "utf8"));
  const { url: baseUrl, environment, plans, agent } = sandbox;
  const open = ({ apiKey }) => Payments.getInstance({ apiKey, environment, baseUrl });
  const [builder, subscriber] = [open(sandbox.builder), open(sandbox.subscriber)];
  const { items } = await builder.plans.listPlans();
  // The free plan can be ordered without a chain or a card.
  const planId = plans.trial;
  if (!(await subscriber.plans.getPlanBalance(planId)).isSubscriber) {
    await subscriber.plans.orderPlan(planId);
  }
  const { accessToken } = await subscriber.x402.getX402AccessToken(planId, agent.agentId);
  const ask = (headers) =>
    fetch(agent.url, {
      method: "POST",
      body: JSON.stringify({ question: "What does a call cost?" }),
      headers: { "content-type": "application/json", ...headers },
    });
  const challenge = await ask({});
  const paid = await ask({ "payment-signature": accessToken });
  const receipt = JSON.parse(
    Buffer.from(paid.headers.get("payment-response") ?? "bnVsbA==", "base64").toString(),
  );
  return {
    listed: items.map((each) => each.planId).includes(planId),
    challenged: challenge.status,
    paid: paid.status,
    settled: receipt?.success,
    creditsRedeemed: receipt?.creditsRedeemed,
  };
}

const { TURNPIKE_SANDBOX_JSON } = process.env;
console.log(
  JSON.stringify({
    ...(await gateAnAgent()),
    ...(TURNPIKE_SANDBOX_JSON && { sandbox: await buyFromTheSandbox(TURNPIKE_SANDBOX_JSON) }),
  }),
);
