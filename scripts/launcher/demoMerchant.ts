import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Client } from 'pg';
import { z } from 'zod';
import { config } from '../../src/config';

/** Published on purpose: they are valid only in a database that `npm start` has created for trials. */
const merchantCredentials = { username: 'demo@example.org', password: 'demo-merchant-2024' };
const consumerCredentials = { username: 'viewer@example.org', password: 'demo-viewer-2024' };

const Signed = z.object({ access_token: z.string(), account: z.object({ uuid: z.uuid() }) });
const Created = z.object({ id: z.int() });

const Demo = z.object({
  merchantUuid: z.uuid(),
  itemId: z.int(),
  monthlyFeeId: z.int(),
  yearlyFeeId: z.int(),
});

/** The data that the screen shows and the tour of the README needs. */
export interface Demo extends z.output<typeof Demo> {
  merchant: typeof merchantCredentials;
  consumer: typeof consumerCredentials;
}

interface DemoOptions {
  apiUrl: string;
  databaseUrl: string;
  /** Stores the ids. A database that was filled in another way gets no demo merchant. */
  file: string;
}

/** The demo merchant of this database. It is created if the database has no account, and found later. */
export async function findOrCreateDemo(options: DemoOptions): Promise<Demo | undefined> {
  const remembered = findRemembered(options.file);
  const accounts = await readAccounts(options.databaseUrl, remembered?.merchantUuid);
  if (remembered !== undefined && accounts.hasMerchant) return withCredentials(remembered);
  if (accounts.areOthers) return undefined;
  const made = await createDemo(options.apiUrl);
  writeFileSync(`${options.file}.new`, JSON.stringify(made, undefined, 2));
  renameSync(`${options.file}.new`, options.file);
  return withCredentials(made);
}

function withCredentials(demo: z.output<typeof Demo>): Demo {
  return { ...demo, merchant: merchantCredentials, consumer: consumerCredentials };
}

function findRemembered(file: string): z.output<typeof Demo> | undefined {
  try {
    return Demo.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Accounts with the demo's own addresses come from an interrupted demo and do not count. */
async function readAccounts(databaseUrl: string, merchantUuid: string | undefined) {
  const client = new Client(databaseUrl);
  await client.connect();
  try {
    const { rows } = await client.query<{ hasMerchant: boolean; areOthers: boolean }>(
      `SELECT EXISTS (SELECT FROM accounts WHERE uuid = $1) AS "hasMerchant",
              EXISTS (SELECT FROM accounts WHERE email_normalized <> ALL ($2)) AS "areOthers"`,
      [merchantUuid ?? null, [merchantCredentials.username, consumerCredentials.username]],
    );
    return rows[0] ?? { hasMerchant: false, areOthers: true };
  } finally {
    await client.end();
  }
}

/** Through the API, so that the demo cannot contain data that the API would refuse. */
async function createDemo(apiUrl: string): Promise<z.output<typeof Demo>> {
  const merchant = await signUp(apiUrl, 'merchant', 'Demo Merchant', config.PLATFORM_CLIENT_ID, merchantCredentials);
  const post = async (path: string, fields: Record<string, string>) =>
    Created.parse(await postForm(apiUrl + path, fields, merchant.access_token));
  const item = await post('/v2/items', {
    item_type: 'html_asset',
    title: 'The Paywall Weekly',
    content: '<h1>The Paywall Weekly</h1><p>You are reading this because you paid for it.</p>',
    'metadata[preview_title]': 'The Paywall Weekly',
    'metadata[preview_description]': 'One long read a week, for subscribers.',
  });
  const createFee = (period: string, amount: string, description: string) =>
    post(`/v2/items/${item.id}/access-fees`, {
      ...{ access_type: 'subscription', quantity: '1', period },
      ...{ amount, currency: 'EUR', description },
    });
  const monthly = await createFee('month', '9.99', 'Monthly subscription');
  const yearly = await createFee('year', '99.00', 'Yearly subscription');
  const merchantUuid = merchant.account.uuid;
  await signUp(apiUrl, 'consumer', 'Demo Viewer', merchantUuid, consumerCredentials);
  return { merchantUuid, itemId: item.id, monthlyFeeId: monthly.id, yearlyFeeId: yearly.id };
}

/** Registers the account. An account of an interrupted attempt signs in instead. */
async function signUp(
  apiUrl: string,
  type: 'merchant' | 'consumer',
  full_name: string,
  client_id: string,
  credentials: typeof merchantCredentials,
) {
  const registration = { ...credentials, password_confirmation: credentials.password, type, full_name, client_id };
  try {
    return Signed.parse(await postForm(`${apiUrl}/accounts`, registration));
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 409) throw error;
  }
  const signIn = { ...credentials, grant_type: 'password', client_id };
  return Signed.parse(await postForm(`${apiUrl}/accounts/authenticate`, signIn));
}

class Refused extends Error {
  constructor(
    url: string,
    readonly status: number,
    body: string,
  ) {
    super(`POST ${url} answered ${status} ${body}`);
  }
}

async function postForm(url: string, fields: Record<string, string>, token?: string): Promise<unknown> {
  const body = new URLSearchParams(fields);
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: {
      // The same request after an interruption creates nothing twice.
      'idempotency-key': createHash('sha256').update(`${url}?${body.toString()}`).digest('hex'),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    signal: AbortSignal.timeout(10_000),
  });
  const text = await response.text();
  if (!response.ok) throw new Refused(url, response.status, text);
  return JSON.parse(text);
}
