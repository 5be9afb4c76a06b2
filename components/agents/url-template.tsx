import { partsOfPath } from "./match-endpoint.ts";

/** A URL's path with its placeholders as chips. The title has the full URL. */
export function UrlTemplate({ url }: { url: string }) {
  return (
    <span title={url} className="wrap-anywhere font-mono text-mono">
      {partsOfPath(url).map(({ text, isPlaceholder }, at) =>
        isPlaceholder ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a URL keep their places.
          <Placeholder key={at} name={text} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a URL keep their places.
          <span key={at}>{text}</span>
        ),
      )}
    </span>
  );
}

export function Placeholder({ name }: { name: string }) {
  return (
    <span className="inline-block max-w-full rounded-tag border border-accent/30 bg-tint-accent px-0.75 py-px font-mono text-small">
      {name}
    </span>
  );
}
