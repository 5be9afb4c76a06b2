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

const AGAIN =
  "Once it is running, run the same command again: it registers nothing twice. To use another service, pass --url.";

/**
 * Registers what is not given yet, once for each `nonce`. Throws the service's own message; the error has `isRefused` where
 * nothing was registered.
 */
export async function register({ url, key, name, nonce, addresses, planId, agentId }) {
  const call = async (method, path, body) => {
    const answer = await fetch(`${url}/api/v1/protocol${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    }).catch((cause) => {
      throw new Error(`${url} did not respond. ${AGAIN}`, { cause });
    });
    const read = await answer.json().catch(() => null);
    if (answer.ok && read) return read;
    const isRefused = answer.status >= 400 && answer.status < 500;
    const message = read?.message ?? `${url} returned ${answer.status}.`;
    throw Object.assign(new Error(`${message} ${read?.hint ?? (isRefused ? "" : AGAIN)}`), {
      isRefused,
    });
  };
  const agent = { metadataAttributes: { name }, agentApiAttributes: addresses };
  if (agentId && planId) {
    // Says what is wrong with either, and does nothing where the agent sells the plan.
    await call("POST", `/agents/${agentId}/plan/${planId}`);
    return { agentId, planId };
  }
  if (agentId) {
    const { items } = await call("GET", `/agents/${agentId}/plans`);
    if (items.length > 0) return { agentId, planId: items[0].planId };
    throw Object.assign(new Error(`Agent ${agentId} has no plan yet. Pass --plan.`), {
      isRefused: true,
    });
  }
  if (planId)
    return { planId, ...(await call("POST", "/agents", { ...agent, plans: [planId], nonce })) };
  return call("POST", "/agents/plans", {
    agent,
    plan: {
      metadataAttributes: { name: `${name}, 100 calls` },
      priceConfig: PRICE,
      creditsConfig: CREDITS,
      accessLimit: "credits",
      nonce,
    },
  });
}
