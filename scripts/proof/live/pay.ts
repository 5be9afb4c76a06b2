import { createGate, Payments } from "@turnpike/payments";
import {
  getCryptoPriceConfig,
  getFiatPriceConfig,
  getFixedCreditsConfig,
  setRedemptionType,
} from "@turnpike/payments/protocol";
import { createPublicClient, encodeFunctionData, type Hex, http, parseAbi } from "viem";
import { generatePrivateKey, privateKeyToAddress, signTypedData } from "viem/accounts";
import { type LiveWorld, runTool } from "./world.ts";

const usdcAbi = parseAbi([
  "function balanceOf(address) view returns (uint256)",
  "function faucet(address to, uint256 amount)",
]);
const USDC: Hex = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const ENDPOINT = "https://agent.example/ask";
const PRICE = 100_000n;

type Account = { address: Hex; privateKey: Hex; apiKey: string; payments: Payments };

/** An account of a wallet, as `npm run account` makes it. */
export async function openAccount(
  { settings, origin }: Pick<LiveWorld, "settings" | "origin">,
  cwd = ".",
): Promise<Account> {
  const privateKey = generatePrivateKey();
  const owner = privateKeyToAddress(privateKey);
  const printed = await runTool(["scripts/create-account.ts", "--owner", owner], settings, { cwd });
  const { address, apiKey } = JSON.parse(printed) as { address: Hex; apiKey: string };
  const payments = Payments.getInstance({ apiKey, environment: "live", baseUrl: origin });
  return { address, privateKey, apiKey, payments };
}

/** A plan of ten cents in USDC, ordered on chain by the first call of a token whose limit the wallet signed. */
export async function payOnChain(world: LiveWorld): Promise<string> {
  const builder = await openAccount(world);
  const subscriber = await openAccount(world);
  const client = createPublicClient({ transport: http(world.chain.rpcUrl) });
  const balanceOf = (account: Hex) =>
    client.readContract({
      address: USDC,
      abi: usdcAbi,
      functionName: "balanceOf",
      args: [account],
    });
  await giveMoney(world, subscriber.address);
  const { planId } = await builder.payments.plans.registerCreditsPlan(
    { name: "Ten cents" },
    { ...getCryptoPriceConfig(PRICE, builder.address, USDC), currency: "USDC" },
    // The subscriber's session key burns them, so the builder's wallet signs nothing.
    setRedemptionType(getFixedCreditsConfig(10n, 1n), 4),
  );
  const { delegationId, grant } = await subscriber.payments.delegation.createDelegation({
    provider: "erc4337",
    spendingLimitCents: 100,
    durationSecs: 3_600,
    planIds: [planId],
  });
  const typedData = grant?.typedData as unknown as Omit<
    Parameters<typeof signTypedData>[0],
    "privateKey"
  >;
  const signature = await signTypedData({ privateKey: subscriber.privateKey, ...typedData });
  await subscriber.payments.delegation.submitGrantSignature(delegationId, signature);
  const { accessToken } = await subscriber.payments.x402.getX402AccessToken(planId, undefined, {
    delegationConfig: { delegationId },
  });
  await callGate(builder.payments, planId, accessToken);
  const [left, received] = [await balanceOf(subscriber.address), await balanceOf(builder.address)];
  if (left !== 0n || received !== PRICE) {
    throw new Error(`The subscriber holds ${left}, the builder ${received}.`);
  }
  return "a call paid with 0.10 USDC";
}

async function giveMoney({ rpc }: LiveWorld, to: Hex): Promise<void> {
  const data = encodeFunctionData({ abi: usdcAbi, functionName: "faucet", args: [to, PRICE] });
  await rpc("anvil_impersonateAccount", [USDC]);
  await rpc("anvil_setBalance", [USDC, "0x56bc75e2d63100000"]);
  await rpc("eth_sendTransaction", [{ from: USDC, to: USDC, data }]);
}

/** One request through a gate, paid by a token. */
async function callGate(payments: Payments, planId: string, token: string): Promise<void> {
  const gate = createGate(payments, { "POST /ask": { planId } });
  const request = new Request(ENDPOINT, {
    method: "POST",
    headers: { "payment-signature": token },
  });
  const answer = await gate(request, async () => Response.json({ answer: 42 }));
  if (answer.status === 200) return;
  throw new Error(`The paid call answered ${answer.status}: ${await answer.text()}`);
}

/** A plan of five dollars, charged to a card that is saved as the page saves it. */
export async function payByCard(world: LiveWorld): Promise<string> {
  const builder = await openAccount(world);
  const { payments } = await openAccount(world);
  const { planId } = await builder.payments.plans.registerCreditsPlan(
    { name: "Five dollars" },
    getFiatPriceConfig(5_000_000n, builder.address),
    getFixedCreditsConfig(10n, 1n),
  );
  const providerPaymentMethodId = await saveCard(world, payments);
  const { accessToken } = await payments.x402.getX402AccessToken(planId, undefined, {
    delegationConfig: {
      providerPaymentMethodId,
      spendingLimitCents: 500,
      durationSecs: 3_600,
    },
  });
  await callGate(builder.payments, planId, accessToken);
  const [payment] = world.cards.controls.payments();
  if (payment?.status !== "succeeded" || payment.amount !== 500) {
    throw new Error(`The processor has ${payment?.status ?? "no payment"}.`);
  }
  return "a call paid with 5.00 USD by card";
}

/** What a page does with the processor's script: a card number goes there and nowhere else. */
async function saveCard({ cards }: LiveWorld, payments: Payments): Promise<string> {
  const {
    setupIntentId,
    clientSecret = "",
    publishableKey = "",
  } = await payments.paymentMethods.addPaymentMethod({});
  const post = async (path: string, body: Record<string, string>) => {
    const answer = await fetch(`${cards.apiBase}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${publishableKey}` },
      body: new URLSearchParams(body),
    });
    const json = (await answer.json()) as { id: string };
    if (!answer.ok) throw new Error(`${path} answered ${JSON.stringify(json)}`);
    return json;
  };
  const { id } = await post("/v1/payment_methods", {
    type: "card",
    "card[number]": "4242424242424242",
    "card[exp_month]": "12",
    "card[exp_year]": "2030",
    "card[cvc]": "123",
  });
  await post(`/v1/setup_intents/${setupIntentId}/confirm`, {
    payment_method: id,
    client_secret: clientSecret,
  });
  const saved = await payments.paymentMethods.finishPaymentMethod(setupIntentId);
  if (!saved.paymentMethodId) throw new Error(`The card is ${saved.status}.`);
  return saved.paymentMethodId;
}
