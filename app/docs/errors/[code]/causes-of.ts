import type { NamedCause } from "@/components/docs/error-causes.tsx";
import { ATTEMPT_CAUSES } from "@/lib/console/attempt-causes.ts";
import { remedyOf } from "@/lib/console/attempt-remedies.ts";
import { causesFor, payerTextOf } from "@/lib/domain/permissions/causes.ts";

/** The precise causes behind a code of verify and settle, as the payer sees them; none for other codes. */
export const causesOf = (code: string): NamedCause[] =>
  causesFor(code).flatMap((cause) => {
    const text = payerTextOf(cause) ?? remedyOf(cause, "builder");
    const words = cause.replaceAll("_", " ");
    const title = ATTEMPT_CAUSES[cause]?.title ?? words.charAt(0).toUpperCase() + words.slice(1);
    return text ? [{ cause, title, text, isForBuilder: payerTextOf(cause) === undefined }] : [];
  });
