// Joiners that change what is seen, as UAX 31 has them: after an Arabic letter that would join the next one, beside an
// Indic virama, and between pictographs.
export const JOINED =
  /[\u0626\u0628\u062a-\u062e\u0633-\u0647\u0649\u064a\u0678-\u0687\u069a-\u06bf\u06c1\u06cc\u06ce\u06d0](?:(?!\p{DI})\p{M}){0,4}\u200c(?=[\u0622-\u064a\u066e-\u06d3])|[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca](\u200c(?=\p{L})|\u200d(?!\p{M}))|\u09b0\u200d(?=\u09cd)|\p{ExtPict}[\ufe0f\p{EMod}]?\u200d(?=\p{ExtPict})/gu;

const MANY_MARKS = /(\p{M}{30})\p{M}+/gu;

/**
 * A text in NFC. A letter keeps 30 marks, more than any language has: to normalize takes the square of their number, and
 * 130,000 of a stranger's held a process for twelve seconds.
 */
export const toNfc = (text: string): string => text.replace(MANY_MARKS, "$1").normalize("NFC");

const UNSEEN = new RegExp(
  `(${JOINED.source})|(?:\\p{Cc}|[\\p{Cf}\\u2028\\u2029\\u2800]|(?!\\ufe0f)\\p{DI})+`,
  "gu",
);

/** A text whose controls, and characters that reorder or hide text, are replaced. */
export const replaceUnseen = (text: string, replacement: string): string =>
  text.replace(UNSEEN, (_unseen, joined?: string) => joined ?? replacement);

/** A stranger's text on one line, so that it cannot change what a terminal shows beside it. */
export const visibleText = (text: string): string => replaceUnseen(text, " ");
