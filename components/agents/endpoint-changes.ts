import { type ListChanges, listChanges, withListChanges } from "../forms/changes.ts";

/** An agent's endpoints as the API has them: paid ones by method, and free ones. */
export type Endpoints = { endpoints: Record<string, string>[]; openEndpoints: string[] };

export type EndpointChanges = { paid: ListChanges; open: ListChanges };

/** What an edit of the endpoints adds and removes. One that becomes free leaves the paid ones. */
export const endpointChanges = (before: Endpoints, after: Endpoints): EndpointChanges => ({
  paid: listChanges(paidOf(before), paidOf(after)),
  open: listChanges(before.openEndpoints, after.openEndpoints),
});

export const isNoChange = ({ paid, open }: EndpointChanges): boolean =>
  [paid.added, paid.removed, open.added, open.removed].every(({ length }) => length === 0);

/** The endpoints as they are now, with an edit of an older page. */
export const withEndpointChanges = (
  now: Endpoints,
  { paid, open }: EndpointChanges,
): Endpoints => ({
  endpoints: withListChanges(paidOf(now), paid).map((endpoint) => {
    const [verb = "", ...url] = endpoint.split(" ");
    return { [verb]: url.join(" ") };
  }),
  openEndpoints: withListChanges(now.openEndpoints, open),
});

const paidOf = ({ endpoints }: Endpoints): string[] =>
  endpoints.flatMap((endpoint) => Object.entries(endpoint).map(([verb, url]) => `${verb} ${url}`));
