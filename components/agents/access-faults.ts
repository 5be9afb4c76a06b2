import type { FieldFault } from "../forms/create-resolver.ts";
import { type AccessDraft, hasSecrets } from "./agent-types.ts";

/** What is wrong with the access fields. With `isKept`, saved credentials stay when all are left empty. */
export function accessFaults(access: AccessDraft, isKept = false): FieldFault[] {
  const { authType, username, password, token, headers } = access;
  const isNew = !isKept || hasSecrets(access);
  return [
    ...(authType === "BASIC" && isNew && !username
      ? [{ path: "access.username", message: "Enter a username." }]
      : []),
    ...(authType === "BASIC" && isKept && isNew && !password
      ? [{ path: "access.password", message: `Enter the password. ${ALL_REPLACED}` }]
      : []),
    ...(authType === "BEARER" && isNew && !token
      ? [
          {
            path: "access.token",
            message: isKept ? `Enter the token. ${ALL_REPLACED}` : "Enter a token.",
          },
        ]
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
const ALL_REPLACED = "New credentials replace all saved ones.";
