import { CopyButton } from "./copy-button.tsx";

/** An id or an address: its first six and last four characters, the whole of it in title and copy. */
export function Identifier({ value, name }: { value: string; name: string }) {
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap font-mono text-small">
      <span title={value}>{shorten(value)}</span>
      <CopyButton text={value} label={`Copy ${name}`} />
    </span>
  );
}

const shorten = (value: string) =>
  value.length > 14 ? `${value.slice(0, 6)}…${value.slice(-4)}` : value;
