import { Button } from "./button.tsx";

/** In the place of a part that could not be fetched; the rest of the page goes on. */
export function LaterFailed({ onRetry }: { onRetry: () => void }) {
  return (
    <p role="alert" className="flex flex-wrap items-center gap-2 text-ink-2 text-note">
      This part could not be loaded.
      <Button size="small" onClick={onRetry}>
        Retry
      </Button>
    </p>
  );
}
