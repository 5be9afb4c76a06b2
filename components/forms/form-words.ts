const WORDS: [RegExp, string][] = [
  [/^Expected at least (\d+)\.$/, "Enter $1 or more."],
  [/^Expected at most (\d+)\.$/, "Enter $1 or less."],
  [/^Expected at (least|most) (\d+) characters\.$/, "Use at $1 $2 characters."],
  [/^Expected at (least|most) (\d+) items\.$/, "Choose at $1 $2."],
  [/^Expected (an? (?!array|object|string|number|boolean).*)$/, "Enter $1"],
];

/** The rule of a field for its longest text. The field takes more, and says so: what is pasted is never cut. */
export const atMost = (value: number) => ({ value, message: `Use at most ${value} characters.` });

/** The same of a text: what is wrong with its length, if anything. */
export const lengthFault = (text: string, most: number): string | undefined =>
  text.trim().length > most ? atMost(most).message : undefined;

/** What a schema says of a value, as a form says it to a person: an API's "Expected at least 0." is "Enter 0 or more." */
export function inFormWords(message: string): string {
  for (const [pattern, words] of WORDS) {
    if (pattern.test(message)) return message.replace(pattern, words);
  }
  return message;
}
