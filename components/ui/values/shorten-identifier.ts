const HEAD = 6;
const TAIL = 4;

/** First six … last four. Short values are not shortened. */
export const shortenIdentifier = (value: string): string =>
  value.length > HEAD + TAIL + 4 ? `${value.slice(0, HEAD)}…${value.slice(-TAIL)}` : value;
