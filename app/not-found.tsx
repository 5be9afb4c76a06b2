import { PageNotFound } from "@/components/page-not-found.tsx";
import { ViewerFrame } from "./explore/viewer-frame.tsx";

export const metadata = { title: "Not found" };

export default function NotFoundPage() {
  return (
    <ViewerFrame>
      <PageNotFound title="Page not found">
        The page may have moved, or the URL may be mistyped.
      </PageNotFound>
    </ViewerFrame>
  );
}
