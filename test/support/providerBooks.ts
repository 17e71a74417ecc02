import { type Pool, type Client, type QueryResult, type QueryResultRow } from 'pg';

/** The books of the payment provider, which the service has no access to. They are read from the simulator's control API. */

/** Tells the simulator what to do, as its users do. It acts on the account of this test file. */
export async function control(path: string, fields?: object, method = fields ? 'POST' : 'GET'): Promise<unknown> {
  const answer = await fetch(`${process.env['SANDBOX_API_BASE']}/simulator/${path}`, {
    method,
    headers: { Authorization: `Bearer ${process.env['SANDBOX_KEY']}` },
    ...(fields && { body: JSON.stringify(fields) }),
  });
  const body: unknown = await answer.json();
  if (!answer.ok) throw new Error(`${path} answered ${answer.status} ${JSON.stringify(body)}`);
  return body;
}

/** The payer approves at the bank what waits, and the service hears nothing of it. */
export async function approveAtBank(reference: string): Promise<void> {
  await control('approvals', { reference });
}

const columns = {
  cards:
    'token text, outcome text, refund_outcome text, last_four text, created_at timestamptz, forgotten_at timestamptz',
  charges: `idempotency_key text, reference text, token text, amount_minor bigint, currency text, description text, status text,
    decline_reason text, decides_at timestamptz, planned_decline text, returns_at timestamptz, returned_at timestamptz,
    attempts int, return_url text, created_at timestamptz, charged_at timestamptz`,
  setups: `reference text, token text, description text, status text, decline_reason text, return_url text,
    created_at timestamptz`,
  refunds: `idempotency_key text, reference text, charge_key text, amount_minor bigint, status text, attempts int,
    created_at timestamptz`,
};

/**
 * Runs a query in which `sandbox_cards`, `sandbox_charges`, `sandbox_setups` and `sandbox_refunds` are the provider's books,
 * so that they can be compared with the tables of the service.
 */
export async function queryBooks<R extends QueryResultRow = QueryResultRow>(
  pool: Pool | Client,
  text: string,
  values: readonly unknown[] = [],
): Promise<QueryResult<R>> {
  const books = JSON.stringify(await control('books'));
  const tables = Object.entries(columns).map(
    ([name, list]) =>
      `sandbox_${name} AS (SELECT * FROM jsonb_to_recordset($${values.length + 1}::jsonb -> '${name}') AS x (${list}))`,
  );
  const rest = text.trim().startsWith('WITH') ? text.trim().replace('WITH', ',') : text;
  return pool.query<R>(`WITH ${tables.join(', ')} ${rest}`, [...values, books]);
}
