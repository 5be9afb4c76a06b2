import type { FieldFault } from "../forms/create-resolver.ts";
import type { AccessDraft } from "./agent-types.ts";

/** What is wrong with the access fields. With `isKept`, saved credentials stay when all are left empty. */
export function accessFaults(access: AccessDraft, isKept = false): FieldFault[] {
  const { authType, username, password, token, headers } = access;
  const isEmpty = !username && !password && !token;
  return [
    ...(authType === "BASIC" && !username && !(isKept && isEmpty)
      ? [{ path: "access.username", message: "Enter a user name." }]
      : []),
    ...(authType === "BEARER" && !token && !isKept
      ? [{ path: "access.token", message: "Enter a token." }]
      : []),
    ...headers.flatMap(({ name }, index) =>
      name && !HEADER_NAME.test(name)
        ? [
            {
              path: `access.headers.${index}.name`,
              message: `“${name}” is not a valid header name. Use letters, digits and hyphens.`,
            },
          ]
        : [],
    ),
  ];
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
