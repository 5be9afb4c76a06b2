import { type Amount, groupDigits } from "./money-text.ts";

/** `+25%`, `−8%`, `unchanged`; empty when there was nothing to compare with. */
export function changeText(amount: Amount | number, previous: Amount | number): string {
  const [now, before] = [BigInt(amount), BigInt(previous)];
  if (before === 0n) return "";
  if (now === before) return "unchanged";
  const percent = ((now - before) * 100n) / before;
  if (percent === 0n) return now > before ? "up by less than 1%" : "down by less than 1%";
  return `${percent > 0n ? "+" : ""}${groupDigits(percent)}%`;
}

/** `1,208 the previous day, +6%`; nothing where the period before had nothing. `text` writes an amount; money carries its currency. */
export function changeNote(
  { amount, previous }: { amount: Amount | number; previous: Amount | number },
  when: string,
  text: (amount: string) => string = groupDigits,
): string | undefined {
  if (BigInt(previous) === 0n) return undefined;
  const change = changeText(amount, previous);
  return `${text(String(previous))} ${when}, ${change}`;
}
