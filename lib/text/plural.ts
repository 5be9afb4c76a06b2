const RULES = new Intl.PluralRules("en");

/** Chooses the word that fits a count. `pluralWord(keys.length, "is", "are")` */
export const pluralWord = (count: number | bigint, one: string, other = `${one}s`): string =>
  RULES.select(Number(count)) === "one" ? one : other;

/** A count with its noun: `plural(2, "key")` is "2 keys", `plural(1n, "reply", "replies")` "1 reply". */
export const plural = (count: number | bigint, one: string, other?: string): string =>
  `${NUMBERS.format(count)} ${pluralWord(count, one, other)}`;

const NUMBERS = new Intl.NumberFormat("en");
