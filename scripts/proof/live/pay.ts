import { createGate, Payments } from "@turnpike/payments";
import {
  getCryptoPriceConfig,
  getFiatPriceConfig,
  getFixedCreditsConfig,
} from "@turnpike/payments/protocol";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { createPublicClient, encodeFunctionData, type Hex, http, parseAbi } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { CHAIN_ID, type LiveWorld, runTool } from "./world.ts";

const usdcAbi = parseAbi([
  "function balanceOf(address) view returns (uint256)",
  "function faucet(address to, uint256 amount)",
]);
const USDC: Hex = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const ENDPOINT = "https://agent.example/ask";
const CENT = 10_000n;

type Account = { address: Hex; payments: Payments };

/** An account of a wallet, as `npm run account` makes it. */
export async function openAccount({ settings, origin }: LiveWorld): Promise<Account> {
  const { address: owner } = privateKeyToAccount(generatePrivateKey());
  const printed = await runTool(["scripts/create-account.ts", "--owner", owner], settings);
  const { address, apiKey } = JSON.parse(printed) as { address: Hex; apiKey: string };
  return {
    address,
    payments: Payments.getInstance({ apiKey, environment: "live", baseUrl: origin }),
  };
}

/** A plan of one cent in USDC, bought by a stock wallet with its first request to a gate. */
export async function payOnChain(world: LiveWorld): Promise<string> {
  const builder = await openAccount(world);
  const client = createPublicClient({ transport: http(world.chain.rpcUrl) });
  const balanceOf = (account: Hex) =>
    client.readContract({
      address: USDC,
      abi: usdcAbi,
      functionName: "balanceOf",
      args: [account],
    });
  const wallet = privateKeyToAccount(generatePrivateKey());
  const data = encodeFunctionData({
    abi: usdcAbi,
    functionName: "faucet",
    args: [wallet.address, CENT],
  });
  await world.rpc("anvil_impersonateAccount", [USDC]);
  await world.rpc("anvil_setBalance", [USDC, "0x56bc75e2d63100000"]);
  await world.rpc("eth_sendTransaction", [{ from: USDC, to: USDC, data }]);
  const { planId } = await builder.payments.plans.registerCreditsPlan(
    { name: "One cent" },
    getCryptoPriceConfig(CENT, builder.address, USDC),
    getFixedCreditsConfig(10n, 1n),
  );
  const gate = createGate(builder.payments, { "POST /ask": { planId, exact: true } });
  const ask = ((input: RequestInfo | URL, init?: RequestInit) =>
    gate(new Request(input, init), async () => Response.json({ answer: 42 }))) as typeof fetch;
  const stock = new x402Client().register(`eip155:${CHAIN_ID}`, new ExactEvmScheme(wallet));
  const answer = await wrapFetchWithPayment(ask, stock)(ENDPOINT, { method: "POST", body: "{}" });
  if (answer.status !== 200)
    throw new Error(`The paid call answered ${answer.status}: ${await answer.text()}`);
  const receipt = decodePaymentResponseHeader(answer.headers.get("payment-response") ?? "");
  const [left, received] = [await balanceOf(wallet.address), await balanceOf(builder.address)];
  if (!receipt.success || left !== 0n || received !== CENT) {
    throw new Error(`The wallet holds ${left}, the seller ${received}.`);
  }
  return "a call paid with 0.01 USDC";
}

/** A plan of five dollars, charged to a card that is saved as the page saves it. */
export async function payByCard(world: LiveWorld): Promise<string> {
  const builder = await openAccount(world);
  const { payments } = await openAccount(world);
  const { planId } = await builder.payments.plans.registerCreditsPlan(
    { name: "Five dollars" },
    getFiatPriceConfig(500n, builder.address),
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
  const gate = createGate(builder.payments, { "POST /ask": { planId } });
  const answer = await gate(
    new Request(ENDPOINT, { method: "POST", headers: { "payment-signature": accessToken } }),
    async () => Response.json({ answer: 42 }),
  );
  if (answer.status !== 200)
    throw new Error(`The paid call answered ${answer.status}: ${await answer.text()}`);
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
