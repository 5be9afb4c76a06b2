/** The letters typed recently, to find an option. */
export type Typed = { text: string; at: number };

type Press = {
  key: string;
  metaKey?: boolean;
  ctrlKey?: boolean;
  altKey?: boolean;
  timeStamp: number;
};

const FORGET_AFTER_MS = 700;

/** The option a key leads to from the one at `at`: arrows, Home, End or first letters. */
export function moveOption(
  press: Press,
  at: number,
  options: readonly { label: string }[],
  typed: Typed,
): number | undefined {
  const last = options.length - 1;
  const steps: Record<string, number> = {
    ArrowDown: Math.min(at + 1, last),
    ArrowUp: Math.max(at - 1, 0),
    Home: 0,
    End: last,
  };
  const step = steps[press.key];
  if (step !== undefined) return step;
  if (press.key.length !== 1 || press.metaKey || press.ctrlKey || press.altKey) return undefined;
  const isFresh = press.timeStamp - typed.at > FORGET_AFTER_MS;
  typed.text = (isFresh ? "" : typed.text) + press.key.toLowerCase();
  typed.at = press.timeStamp;
  return findByText(at, options, typed.text);
}

function findByText(at: number, options: readonly { label: string }[], text: string) {
  // The same letter, repeated, cycles through the options that start with it.
  const isOneLetter = [...text].every((letter) => letter === text[0]);
  const wanted = isOneLetter ? (text[0] as string) : text;
  const start = isOneLetter ? at + 1 : Math.max(at, 0);
  for (let offset = 0; offset < options.length; offset++) {
    const index = (start + offset) % options.length;
    if (options[index]?.label.toLowerCase().startsWith(wanted)) return index;
  }
  return undefined;
}
