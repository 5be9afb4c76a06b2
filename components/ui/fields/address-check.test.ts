import { expect, test } from "vitest";
import { readAddress } from "./address-check.ts";

const OWN = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

const faultOf = (text: string, rules = {}) => {
  const reading = readAddress(text, rules);
  return reading.isAddress ? undefined : reading.fault;
};

test("accepts a valid checksum, and recognises the user’s own address", () => {
  expect(readAddress(` ${OWN} `)).toEqual({
    isAddress: true,
    address: OWN,
    good: "Valid address.",
  });
  expect(readAddress(OWN, { ownAddress: OWN.toLowerCase() })).toMatchObject({
    good: "Your account. Valid address.",
  });
});

test("accepts an address without a checksum with a warning, and adds the checksum", () => {
  expect(readAddress(OWN.toLowerCase())).toEqual({
    isAddress: true,
    address: OWN,
    good: "This address has no checksum: compare it once more.",
  });
});

test("explains a wrong length, a wrong checksum, the zero address and the token itself", () => {
  expect(faultOf("0x54F6EcF00f")).toContain("42 characters");
  expect(faultOf("")).toContain("42 characters");
  expect(faultOf(OWN.replace("5aA", "5Aa"))).toContain("checksum is wrong");
  expect(faultOf(`0x${"0".repeat(40)}`)).toContain("zero address");
  expect(faultOf(`0x${"0".repeat(40)}`, { mayBeZero: true })).toBeUndefined();
  expect(faultOf(OWN, { tokenAddress: OWN.toLowerCase() })).toContain("token’s contract");
});
