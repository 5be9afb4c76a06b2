/** The parts of `@opentelemetry/api` that the spans need, so that it is not a dependency. */
export type OtelApi<Context, Span extends OtelSpan> = {
  trace: {
    getTracer(name: string, version?: string): OtelTracer<Context, Span>;
    setSpan(context: Context, span: Span): Context;
  };
  ROOT_CONTEXT: Context;
};

/** The part of an OpenTelemetry tracer that is used. */
export type OtelTracer<Context, Span extends OtelSpan> = {
  startSpan(
    name: string,
    options: { root?: boolean; startTime: number; attributes: Attributes },
    context: Context,
  ): Span;
};

/** The parts of an OpenTelemetry span that are used. */
export type OtelSpan = {
  setStatus(status: { code: number; message?: string }): unknown;
  end(endTime?: number): void;
};

export type Attributes = Record<string, string | number | string[]>;

/** `SpanStatusCode.ERROR`. */
export const FAILED = 2;
