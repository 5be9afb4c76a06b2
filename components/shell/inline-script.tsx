/** A script as text in the page: it runs before the first bundle has arrived. Only for constants. */
export function InlineScript({ text, nonce }: { text: string; nonce: string | undefined }) {
  return (
    <script
      nonce={nonce}
      suppressHydrationWarning
      // biome-ignore lint/security/noDangerouslySetInnerHtml: a constant of a file.
      dangerouslySetInnerHTML={{ __html: text }}
    />
  );
}
