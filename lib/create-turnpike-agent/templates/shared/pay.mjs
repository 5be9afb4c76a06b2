import { Payments } from "@turnpike/payments";

const { TURNPIKE_PLAN_ID: planId, PORT } = process.env;
const payments = Payments.getInstance();

/** Calls the agent, and pays with credits of the plan; a free plan is ordered on the way. */
export async function pay() {
  const { response, receipt } = await payments.fetch(
    `http://localhost:${PORT}/ask`,
    {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ text: "How many words is this?" }),
    },
    { maxCredits: 1n, planId },
  );
  return { status: response.status, answer: await response.text(), receipt };
}

if (import.meta.filename === process.argv[1]) console.log(await pay());
