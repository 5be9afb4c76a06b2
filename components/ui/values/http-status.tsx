/** An HTTP status: an outlined number in mono, never tinted, so that it is not taken for money. */
export function HttpStatus({ status }: { status: number }) {
  const edge =
    status >= 500 ? "border-refused" : status >= 400 ? "border-line-control" : "border-line";
  return (
    <span
      className={`inline-flex h-5 items-center rounded-tag border bg-surface px-1.25 font-mono text-small font-medium text-ink ${edge}`}
    >
      <span className="sr-only">HTTP </span>
      {status}
    </span>
  );
}
