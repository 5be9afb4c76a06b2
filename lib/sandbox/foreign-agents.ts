import { x402Facilitator } from "@x402/core/facilitator";
import { HTTPFacilitatorClient } from "@x402/core/http";
import type { FacilitatorClient } from "@x402/core/server";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { ExactEvmScheme as ExactFacilitatorScheme } from "@x402/evm/exact/facilitator";
import { ExactEvmScheme } from "@x402/evm/exact/server";
import {
  x402ResourceServer as ExpressResourceServer,
  paymentMiddleware as expressPaymentMiddleware,
} from "@x402/express";
import { paymentMiddleware, x402ResourceServer } from "@x402/hono";
import express, { type Express } from "express";
import { Hono } from "hono";
import { createWalletClient, type Hex, http, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { baseSepolia } from "viem/chains";
import { FOREIGN_PATHS } from "@/lib/playground/lab-places.ts";

const NETWORK = "eip155:84532";
const AMOUNT = "10000";

export type ForeignSeller = {
  facilitator: FacilitatorClient;
  /** The token it takes, and who gets it. */
  usdc: string;
  payTo: string;
};

const quote = { quote: "BTC 101,240.50 USD", source: "An x402 seller that is not on Turnpike." };

function routesOf(path: string, { usdc, payTo }: ForeignSeller) {
  const extra = { name: "USDC", version: "2" };
  const price = { amount: AMOUNT, asset: usdc, extra };
  const accepts = {
    scheme: "exact",
    network: NETWORK,
    payTo,
    price,
    maxTimeoutSeconds: 60,
  } as const;
  const about = { description: "One market quote.", mimeType: "application/json" };
  return { [path]: { accepts, ...about } };
}

/** An agent of the stock Hono middleware, as any seller would write it. */
export function createHonoSeller(seller: ForeignSeller): Hono {
  const path = FOREIGN_PATHS.hono;
  const server = new x402ResourceServer(seller.facilitator);
  server.register(NETWORK, new ExactEvmScheme());
  const app = new Hono();
  app.use(paymentMiddleware(routesOf(path, seller), server));
  return app.all(path, (context) => context.json(quote));
}

/** The same with the stock Express middleware. */
export function createExpressSeller(seller: ForeignSeller): Express {
  const path = FOREIGN_PATHS.express;
  const server = new ExpressResourceServer(seller.facilitator);
  server.register(NETWORK, new ExactEvmScheme());
  const app = express();
  app.use(expressPaymentMiddleware(routesOf(path, seller), server));
  app.all(path, (_request, response) => {
    response.json(quote);
  });
  return app;
}

/** This service as the facilitator of a stock seller. */
export function ownFacilitator(serviceUrl: string, apiKey: string): FacilitatorClient {
  const headers = { authorization: `Bearer ${apiKey}` };
  return new HTTPFacilitatorClient({
    url: `${serviceUrl}/api/v1/x402`,
    createAuthHeaders: async () => ({ verify: headers, settle: headers, supported: headers }),
  });
}

/** A stock facilitator in this process. The key's address pays the gas of each settlement. */
export function stockFacilitator(rpcUrl: string, privateKey: Hex): FacilitatorClient {
  const account = privateKeyToAccount(privateKey);
  const client = createWalletClient({ account, chain: baseSepolia, transport: http(rpcUrl) });
  const wallet = client.extend(publicActions);
  const signer = toFacilitatorEvmSigner({ ...wallet, address: account.address } as never);
  const facilitator = new x402Facilitator();
  facilitator.register(NETWORK, new ExactFacilitatorScheme(signer));
  return {
    verify: (payload, requirements) => facilitator.verify(payload, requirements),
    settle: (payload, requirements) => facilitator.settle(payload, requirements),
    getSupported: async () => facilitator.getSupported() as never,
  };
}
