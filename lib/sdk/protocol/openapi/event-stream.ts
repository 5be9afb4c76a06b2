type Json = Record<string, unknown>;

const DESCRIPTION =
  "Server-sent events: `id` is the event's ID, `data` the event as JSON, as `listEvents` has it. Send the last ID you have as `Last-Event-ID`, or as `after`; without it you receive new events only. A comment arrives every 15 seconds. Needs an API key with the scope `activity:read`; once it is revoked, the stream ends within a minute. In the client: `payments.events`.";

/** The description of `GET /events/stream`: it is no operation, and is refused as the list of events, here `listed`, is. */
export function describeStream(listed: Json): Json {
  const { tags, parameters = [], responses } = listed as { parameters?: Json[] } & Json;
  const after = parameters.find(({ name }) => name === "after");
  const { default: _, ...schema } = (after?.schema ?? {}) as Json;
  const { 404: __, ...refusals } = responses as Json;
  return {
    operationId: "streamEvents",
    summary: "Follow events as they happen",
    description: DESCRIPTION,
    tags,
    parameters: [
      { ...after, required: false, schema },
      { name: "Last-Event-ID", in: "header", required: false, schema },
    ],
    responses: {
      ...refusals,
      200: {
        description: "Events, until either side ends the stream.",
        content: { "text/event-stream": { schema: { type: "string" } } },
      },
      409: { $ref: "#/components/responses/Refusal409" },
    },
  };
}
