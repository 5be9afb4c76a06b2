/** Whether the account in a column is a test customer; false where there is none. */
export const isTestPayer = (column: string): string =>
  `coalesce(${column} in (select t.address from accounts t where t.test_of is not null), false)`;

/** Whether a reported request was sent by a test: its payer is a test customer, or the service sent it. */
export const isTestReport = (alias: string): string =>
  `(${isTestPayer(`${alias}.payer`)} or exists (select 1 from test_calls t where t.request_key = ${alias}.request_key))`;
