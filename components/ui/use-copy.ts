import { useEffect, useState } from "react";

const SHOWN_MS = 2_000;

/** A page on plain HTTP has no clipboard. */
const write = async (text: string) => navigator.clipboard.writeText(text);

type Outcome = "copied" | "refused";

/** Copies a text. `copy` answers the outcome, which is shown for two seconds. */
export function useCopy() {
  const [outcome, setOutcome] = useState<Outcome>();
  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async (text: string): Promise<Outcome> => {
    const next = await write(text).then(
      () => "copied" as const,
      () => "refused" as const,
    );
    setOutcome(next);
    return next;
  };
  return { outcome, copy };
}
