import { BUILDER, type FakeCall, SUBSCRIBER } from "./fake-service.ts";

/** An offer by `exact` that the account of a sandbox pays. */
export const exactOffer = {
  scheme: "exact",
  network: "eip155:84532",
  amount: "10000",
  asset: `0x${"12".repeat(20)}`,
  payTo: BUILDER,
  maxTimeoutSeconds: 60,
  extra: { name: "USDC", version: "2" },
};

/** What a service signs for an account, with a meaningless signature. */
export function authorizationOf({ body }: FakeCall) {
  const { offer } = body as { offer: typeof exactOffer };
  const now = Math.floor(Date.now() / 1000);
  return {
    authorizationId: "auth_1",
    status: "open",
    delegationId: "d1",
    offer,
    payload: {
      signature: `0x${"1b".repeat(65)}`,
      authorization: {
        from: SUBSCRIBER,
        to: offer.payTo,
        value: offer.amount,
        validAfter: String(now),
        validBefore: String(now + 60),
        nonce: `0x${"5a".repeat(32)}`,
      },
    },
  };
}
