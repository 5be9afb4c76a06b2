const RULES = new Intl.PluralRules("en");

/** Separates the thousands of a number that is written out. `Intl.NumberFormat` keeps a phone busy for 80 ms at its first use. */
export const groupThousands = (digits: string): string =>
  digits.replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ",");

/** A number with thousands separators and at most three decimals: `1,234`. */
export const formatCount = (count: number | bigint): string =>
  groupThousands(String(typeof count === "bigint" ? count : Math.round(count * 1000) / 1000));

/** Chooses the word that fits a count. `pluralWord(keys.length, "is", "are")` */
export const pluralWord = (count: number | bigint, one: string, other = `${one}s`): string =>
  RULES.select(Number(count)) === "one" ? one : other;

/** A count with its noun: `plural(2, "key")` is "2 keys", `plural(1n, "reply", "replies")` "1 reply". */
export const plural = (count: number | bigint, one: string, other?: string): string =>
  `${formatCount(count)} ${pluralWord(count, one, other)}`;

/** What the foot of a list says: `8 tokens`, or `50 of 120 tokens` while more exist than are shown. */
export const shownOf = (shown: number, total: number, one: string, other?: string): string =>
  shown === total
    ? plural(total, one, other)
    : `${formatCount(shown)} of ${plural(total, one, other)}`;
