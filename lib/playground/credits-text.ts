/** A whole number with its thousands apart: `1,000`. */
export const groupedText = (credits: bigint): string => credits.toLocaleString("en-US");

/** Credits as people say them: `1 credit`, `1,000 credits`. */
export const creditsText = (credits: bigint): string =>
  `${groupedText(credits)} ${credits === 1n ? "credit" : "credits"}`;
