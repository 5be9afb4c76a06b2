import { InlineScript } from "./inline-script.tsx";

type EarlyKeys = { pressed: KeyboardEvent[]; stop: () => void };
type WithEarlyKeys = Window & { turnpikeEarlyKeys?: EarlyKeys };

const RECORD = `{
  const pressed = [];
  const keep = (event) => pressed.push(event);
  addEventListener("keydown", keep);
  window.turnpikeEarlyKeys = { pressed, stop: () => removeEventListener("keydown", keep) };
}`;

/** Keeps the keys that are pressed before the page can respond, for `takeEarlyKeys`. Render it in the root layout. */
export const EarlyKeys = ({ nonce }: { nonce: string | undefined }) => (
  <InlineScript text={RECORD} nonce={nonce} />
);

/** The keys pressed before the page could respond, in order. Ends the recording. */
export function takeEarlyKeys(): readonly KeyboardEvent[] {
  const early = (window as WithEarlyKeys).turnpikeEarlyKeys;
  early?.stop();
  return early?.pressed ?? [];
}
