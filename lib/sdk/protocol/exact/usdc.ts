/**
 * Circle's USDC by network (developers.circle.com/stablecoins/usdc-contract-addresses). What else a token is worth,
 * its offer does not prove.
 */
export const USDC: Readonly<Record<string, string>> = {
  "eip155:1": "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
  "eip155:10": "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85",
  "eip155:137": "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
  "eip155:8453": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  "eip155:42161": "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
  "eip155:84532": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
};
