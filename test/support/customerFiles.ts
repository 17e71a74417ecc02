import { randomUUID } from 'node:crypto';
import { type z } from 'zod';
import { type ImportResponse } from '../../src/customers/imports/imports.schemas';
import { call } from './client';
import { type TestApp } from './startApp';

/** Files of customers, and what their import leaves in the database. */

export type Imported = z.output<typeof ImportResponse>;

export const newAddress = () => `imported-${randomUUID()}@example.org`;
export const newAddresses = (count: number) => Array.from({ length: count }, newAddress);

/** A day on which imported access can end. */
export const nextYear = `${new Date().getUTCFullYear() + 1}-06-30`;

/** Lines with `\n`, whose cells need no quotes. */
export const fileOf = (...rows: readonly (readonly (string | number)[])[]) =>
  rows.map((cells) => cells.join(',')).join('\n');

interface ImportOptions {
  fields?: Record<string, unknown>;
  key?: string;
}

export const importFile = (
  app: Pick<TestApp, 'address'>,
  { token }: { token: string },
  csv: string,
  { fields = {}, key }: ImportOptions = {},
) =>
  call<Imported & { errors?: Record<string, string>; explain?: string; error?: string }>(
    app,
    'POST',
    '/v2/accounts/customers/import',
    { csv, ...fields },
    { token, headers: key === undefined ? {} : { 'Idempotency-Key': key } },
  );

interface StoredCustomer {
  email: string;
  name: string;
  referrer: string;
  born: string | null;
  metadata: Record<string, string>;
}

/** The customers of a merchant, in the order of their addresses. */
export async function customersOf({ pool }: Pick<TestApp, 'pool'>, merchant: { id: number }) {
  const text = `SELECT email, full_name AS name, referrer, date_of_birth::text AS born, metadata FROM accounts
    WHERE merchant_id = $1 AND role = 'consumer' ORDER BY email`;
  return (await pool.query<StoredCustomer>(text, [merchant.id])).rows;
}

interface StoredAccess {
  email: string;
  item: number;
  until: string;
}

/** The access that a merchant has given, also if it was revoked. */
export async function accessesOf({ pool }: Pick<TestApp, 'pool'>, merchant: { id: number }) {
  const text = `SELECT c.email, a.item_id AS item, (a.expires_at AT TIME ZONE 'UTC')::date::text AS until
    FROM accesses a JOIN accounts c ON c.id = a.account_id WHERE a.merchant_id = $1 ORDER BY c.email, a.id`;
  return (await pool.query<StoredAccess>(text, [merchant.id])).rows;
}

/** The numbers of a merchant's rows that an import can add. */
export async function countsOf({ pool }: Pick<TestApp, 'pool'>, merchant: { id: number }) {
  const count = (table: string) => `(SELECT count(*)::int FROM ${table} WHERE merchant_id = $1) AS ${table}`;
  const tables = ['accounts', 'accesses', 'mails', 'mailed_tokens', 'audit_log', 'events'];
  const { rows } = await pool.query<Record<string, number>>(`SELECT ${tables.map(count).join(', ')}`, [merchant.id]);
  return rows[0];
}
