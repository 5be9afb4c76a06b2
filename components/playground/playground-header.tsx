import { redactRun } from "@/lib/playground/redact.ts";
import type { Run } from "@/lib/playground/run.ts";
import { Button } from "../ui/button.tsx";
import { ButtonLink } from "../ui/button-link.tsx";
import { createLater } from "../ui/later.ts";
import { LaterDialogButton } from "../ui/later-dialog-button.tsx";
import { Menu } from "../ui/overlays/menu.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { saveText } from "../ui/save-text.ts";
import type { ShareActions } from "./history/share-dialog.tsx";

// Fetched when they are opened: sharing carries what finds secrets.
const ShareDialogs = createLater(() => import("./history/share-dialog.tsx"), "ShareDialogs");
const SharedLinksDialog = createLater(
  () => import("./history/shared-links-dialog.tsx"),
  "SharedLinksDialog",
);

type PlaygroundHeaderProps = {
  run: Run | null;
  isRunning: boolean;
  origin: string;
  actions: ShareActions;
  /** Only people with an account can share runs. */
  isSignedIn: boolean;
};

async function saveHar(run: Run): Promise<void> {
  try {
    const { harOf } = await import("@/lib/playground/export-har.ts");
    saveFile("turnpike-run.har", harOf(redactRun(run)));
  } catch {
    toast("The export could not be loaded. Check your connection.", { tone: "bad" });
  }
}

const doctorHref = ({ input: { method, url } }: Run) =>
  `/doctor?${new URLSearchParams({ method, url })}`;

/** The page's title, the time of the open run, and ways to share and export it. */
export function PlaygroundHeader(props: PlaygroundHeaderProps) {
  const { run, isRunning, origin, actions, isSignedIn } = props;
  return (
    <header className="flex flex-wrap items-center gap-x-4 gap-y-2 border-line border-b px-4 py-3">
      <h1 tabIndex={-1} data-page-heading className="text-h1 outline-none">
        Playground
      </h1>
      {run && (
        <p className="text-ink-2">
          <time dateTime={run.startedAt}>{run.startedAt.slice(11, 19)} UTC</time>
        </p>
      )}
      <div className="ms-auto flex flex-wrap gap-2">
        {isSignedIn && (
          <LaterDialogButton
            dialog={SharedLinksDialog}
            given={{ origin, endSharedRun: actions.endSharedRun }}
          >
            Shared links
          </LaterDialogButton>
        )}
        {run && !isRunning && (
          <>
            <ButtonLink href={doctorHref(run)}>Run free checks</ButtonLink>
            {isSignedIn && (
              <LaterDialogButton dialog={ShareDialogs} given={{ run, origin, actions }}>
                Share
              </LaterDialogButton>
            )}
            <Menu
              trigger={<Button>Export</Button>}
              groups={[
                [
                  {
                    label: "HAR (HTTP archive)",
                    icon: "download",
                    onSelect: () => void saveHar(run),
                  },
                  {
                    label: "JSON",
                    icon: "download",
                    onSelect: () => saveFile("turnpike-run.json", redactRun(run)),
                  },
                ],
              ]}
            />
          </>
        )}
      </div>
    </header>
  );
}

const saveFile = (name: string, value: unknown): void =>
  saveText(name, JSON.stringify(value, null, 2), "application/json");
