import { Icon } from "../icon.tsx";
import { CopyButton } from "./copy-button.tsx";
import { shortenIdentifier } from "./shorten-identifier.ts";

export type AddressProps = {
  /** An EVM address or a transaction hash. */
  value: string;
  /** What it is, for the copy button: "receiver". */
  name?: string;
  /** Its page in a block explorer; opens in a new tab. */
  explorerUrl?: string;
  isCopyable?: boolean;
};

/** A shortened address. The title, the copy button and the explorer link have all of it. */
export function Address({ value, name = "address", explorerUrl, isCopyable = true }: AddressProps) {
  const text = (
    <span title={value} className="font-mono text-small">
      {shortenIdentifier(value)}
    </span>
  );
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap">
      {explorerUrl ? (
        <a
          href={explorerUrl}
          target="_blank"
          rel="noreferrer"
          className="link inline-flex min-h-6 items-center gap-1"
        >
          {text}
          <Icon name="external" className="size-3" />
          <span className="sr-only">, opens in a new tab</span>
        </a>
      ) : (
        text
      )}
      {isCopyable && <CopyButton text={value} label={`Copy ${name}`} />}
    </span>
  );
}
