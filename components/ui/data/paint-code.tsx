import type { ReactNode } from "react";

const GRAMMAR =
  /("[^"\n]*"|'[^'\n]*'|\b(?:import|from|const|let|export|await|return|async|def|with|as|if|not|in|new|curl)\b|(?:\/\/|# ).*$)/gm;

/** Code without colours: names and values stand out, keywords and comments recede. */
export function paintCode(code: string): ReactNode[] {
  return code.split(GRAMMAR).map((part, index) => {
    const key = `${index}:${part}`;
    if (/^["']/.test(part)) {
      return (
        <span key={key} className="font-medium">
          {part}
        </span>
      );
    }
    const isGrammar = index % 2 === 1;
    return isGrammar ? (
      <span key={key} className="text-ink-2">
        {part}
      </span>
    ) : (
      part
    );
  });
}
