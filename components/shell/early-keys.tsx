type EarlyKeys = { pressed: KeyboardEvent[]; stop: () => void };
type WithEarlyKeys = Window & { turnpikeEarlyKeys?: EarlyKeys };

// Text in the page, not a module: it must run before the first bundle has arrived.
const RECORD = `{
  const pressed = [];
  const keep = (event) => pressed.push(event);
  addEventListener("keydown", keep);
  window.turnpikeEarlyKeys = { pressed, stop: () => removeEventListener("keydown", keep) };
}`;

/** Keeps the keys that are pressed before the page can respond, for `takeEarlyKeys`. Render it in the root layout. */
export function EarlyKeys({ nonce }: { nonce: string | undefined }) {
  return (
    <script
      nonce={nonce}
      suppressHydrationWarning
      // biome-ignore lint/security/noDangerouslySetInnerHtml: a constant of this file.
      dangerouslySetInnerHTML={{ __html: RECORD }}
    />
  );
}

/** The keys pressed before the page could respond, in order. Ends the recording. */
export function takeEarlyKeys(): readonly KeyboardEvent[] {
  const early = (window as WithEarlyKeys).turnpikeEarlyKeys;
  early?.stop();
  return early?.pressed ?? [];
}
