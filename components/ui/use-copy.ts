import { useEffect, useState } from "react";

const SHOWN_MS = 2_000;

/** A page on plain HTTP has no clipboard. */
const write = async (text: string) => navigator.clipboard.writeText(text);

/** Copies a text. The outcome is known for two seconds. */
export function useCopy() {
  const [outcome, setOutcome] = useState<"copied" | "refused">();
  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = (text: string) =>
    write(text).then(
      () => setOutcome("copied"),
      () => setOutcome("refused"),
    );
  return { outcome, copy };
}
