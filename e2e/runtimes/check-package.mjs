import { createGate, decodeAccessToken, Payments } from "@turnpike/payments";
import { decodeHeader } from "@turnpike/payments/protocol";

/** Gates a request, pays for it, decodes the token and calls the service, with nothing but Web standards. */
export async function checkPackage({ baseUrl, apiKey, buyerKey, planId, accessToken }) {
  const payments = Payments.getInstance({ apiKey, baseUrl });
  const gate = createGate(payments, { "POST /ask": { planId } }, { report: false });
  const ask = (headers) =>
    gate(new Request("https://agent.example/ask", { method: "POST", headers }), () =>
      Response.json({ answer: 42 }),
    );
  const challenge = await ask({});
  const paid = await ask({ "payment-signature": accessToken });
  const receipt = decodeHeader(paid.headers.get("payment-response") ?? "");
  const buyer = Payments.getInstance({ apiKey: buyerKey, baseUrl });
  const signed = await buyer.fetch(
    "https://agent.example/ask?signed",
    { method: "POST", body: "question" },
    { fetch: (request) => gate(request, () => Response.json({ answer: 42 })) },
  );
  const plan = await payments.plans.getPlan(planId);
  return {
    challenged: challenge.status,
    paid: paid.status,
    answer: (await paid.json()).answer,
    settled: receipt?.success,
    holder: signed.receipt?.success && signed.holder,
    decoded: decodeAccessToken(accessToken)?.payload.authorization.planId === planId,
    called: plan.planId === planId,
  };
}
