const NOTHING = "0x0000000000000000000000000000000000000000";
const PRICE = {
  contractAddress: NOTHING,
  feeController: NOTHING,
  externalPriceAddress: NOTHING,
  templateAddress: NOTHING,
  tokenAddress: NOTHING,
  amounts: [],
  receivers: [],
  isCrypto: true,
};
const CREDITS = {
  isRedemptionAmountFixed: true,
  redemptionType: 4,
  durationSecs: "0",
  amount: "100",
  minAmount: "1",
  maxAmount: "1",
};

/** Registers what is not given yet. Throws the service's own message. */
export async function register({ url, key, name, addresses, planId, agentId }) {
  const call = async (method, path, body) => {
    const answer = await fetch(`${url}/api/v1/protocol${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    }).catch((cause) => {
      throw new Error(`${url} did not answer. Start the sandbox, or pass --url.`, { cause });
    });
    const read = await answer.json().catch(() => ({}));
    if (answer.ok) return read;
    throw new Error(`${read.message ?? `${url} answered ${answer.status}.`} ${read.hint ?? ""}`);
  };
  const agent = { metadataAttributes: { name }, agentApiAttributes: addresses };
  if (agentId && planId) return { agentId, planId };
  if (agentId) {
    const { items } = await call("GET", `/agents/${agentId}/plans`);
    if (items.length === 0) throw new Error(`Agent ${agentId} has no plan yet. Pass --plan.`);
    return { agentId, planId: items[0].planId };
  }
  if (planId) return { planId, ...(await call("POST", "/agents", { ...agent, plans: [planId] })) };
  return call("POST", "/agents/plans", {
    agent,
    plan: {
      metadataAttributes: { name: `${name}, 100 calls` },
      priceConfig: PRICE,
      creditsConfig: CREDITS,
      accessLimit: "credits",
    },
  });
}
