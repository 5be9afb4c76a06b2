import { useRouter } from "next/navigation";
import { startTransition } from "react";
import { Card } from "./ui/card.tsx";
import { ErrorState } from "./ui/error-state.tsx";
import { PageHeader } from "./ui/page-header.tsx";

/** What Next gives an error page. */
export type ErrorPageProps = { error: Error & { digest?: string }; reset: () => void };

type PageFailedProps = ErrorPageProps & {
  /** The page's heading, unless a layout has it. */
  title?: string;
  /** What could not be loaded: "Plans". */
  what: string;
};

/** Replaces a page that could not be loaded and offers a retry; the frame around it stays. */
export function PageFailed({ title, what, error, reset }: PageFailedProps) {
  const retry = useRetry(reset);
  return (
    <>
      {title && <PageHeader title={title} />}
      <Card isPadded={false}>
        <ErrorState
          headingLevel={2}
          title={`${what} could not be loaded`}
          onRetry={retry}
          {...(error.digest && { requestId: error.digest })}
        >
          Nothing was charged or changed.
        </ErrorState>
      </Card>
    </>
  );
}

/** An error page. `export default failedPage({ title: "Plan", what: "The plan" });` */
export const failedPage =
  (page: Omit<PageFailedProps, keyof ErrorPageProps>) => (props: ErrorPageProps) => (
    <PageFailed {...page} {...props} />
  );

/** Reloads the page's server data before it renders again; `reset` alone would show the same error. */
export function useRetry(reset: () => void): () => void {
  const router = useRouter();
  return () =>
    startTransition(() => {
      router.refresh();
      reset();
    });
}
