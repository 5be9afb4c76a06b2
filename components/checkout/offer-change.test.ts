import { expect, test } from "vitest";
import { offerChange } from "./offer-change.ts";

const offer = {
  version: 1,
  price: "1.00 USDC",
  terms: "100 credits for 1.00 USDC",
  unit: "svc:erc4337 USDC",
};
const newOffer = {
  ...offer,
  version: 2,
  price: "2.00 USDC",
  terms: "100 credits for 2.00 USDC",
};

test("a new price is paid from the dialog that shows it", () => {
  expect(offerChange({ offer, newOffer }, false)).toEqual({
    title: "The price has changed",
    description:
      "You saw 100 credits for 1.00 USDC. It is now 100 credits for 2.00 USDC. Nothing was charged.",
    verb: "Pay 2.00 USDC",
    isPayable: true,
  });
  const same = { ...offer, version: 2 };
  expect(offerChange({ offer, newOffer: same }, false)).toMatchObject({
    title: "The plan has changed",
    verb: "Pay 1.00 USDC",
  });
});

test("one in another currency is shown first", () => {
  const inEth = { ...newOffer, price: "1.00 ETH", unit: "svc:erc4337 ETH" };
  expect(offerChange({ offer, newOffer: inEth }, false)).toMatchObject({
    verb: "Show the new price",
    isPayable: false,
  });
});

test("and so is one that a wallet has to sign: it signed for the price of before", () => {
  expect(offerChange({ offer, newOffer }, true)).toMatchObject({
    verb: "Show the new price",
    isPayable: false,
  });
  const fewer = { ...offer, version: 2, terms: "10 credits for 1.00 USDC" };
  expect(offerChange({ offer, newOffer: fewer }, true).verb).toBe("Show the new terms");
});
