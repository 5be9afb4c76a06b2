import { LiveButton } from "../ui/live-button.tsx";
import { CopyButton } from "../ui/values/copy-button.tsx";
import { TEST_CARDS } from "./test-cards.ts";

/** The sandbox's test cards, each with what it does; a number is picked by pressing it. */
export function TestCardList({ onPick }: { onPick: (number: string) => void }) {
  return (
    <div>
      <p className="text-label">
        Test cards <span className="font-normal text-ink-2">Sandbox only</span>
      </p>
      <ul>
        {TEST_CARDS.map((card) => (
          <li
            key={card.name}
            className="flex min-h-9 items-center gap-3 border-line not-last:border-b"
          >
            <LiveButton
              onClick={() => onPick(card.number)}
              className="link min-h-6 font-mono text-note max-sm:min-h-(--hit)"
            >
              {card.number}
            </LiveButton>
            <span className="ms-auto text-end text-ink-2 text-note">{card.does}</span>
            <CopyButton text={card.number.replaceAll(" ", "")} label={`Copy ${card.number}`} />
          </li>
        ))}
      </ul>
    </div>
  );
}
