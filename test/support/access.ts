import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { type z } from 'zod';
import { type AccessResponse } from '../../src/entitlements/entitlements.schemas';
import { type AccessCodeResponse, type EntryResponse } from '../../src/items/accessCodes.schemas';
import { call } from './client';
import { type Person, type Shop } from './factories';
import { type TestApp } from './startApp';

export type AccessBody = z.output<typeof AccessResponse>;
type CodeBody = z.output<typeof AccessCodeResponse>;
type EntryBody = z.output<typeof EntryResponse>;

export const check = (app: Pick<TestApp, 'address'>, itemId: number, person: Pick<Person, 'token'>, query = '') =>
  call<AccessBody>(app, 'GET', `/items/${itemId}/access${query}`, undefined, person);

/** Granted by hand for a day. */
export const giveByHand = (app: TestApp, { merchant, consumer, item }: Omit<Shop, 'fee'>, fields = {}) => {
  const grant = { item_id: item.id, consumer_id: consumer.id, expires_at: inSeconds(86_400), ...fields };
  return call<AccessBody>(app, 'POST', '/items/access', grant, merchant);
};

export const takeAway = (app: TestApp, { merchant }: Pick<Shop, 'merchant'>, accessId: number) =>
  call(app, 'DELETE', `/items/access/${accessId}`, undefined, merchant);

export const createCode = (app: TestApp, { merchant, item }: Pick<Shop, 'merchant' | 'item'>, fields = {}) =>
  call<CodeBody>(app, 'POST', `/items/${item.id}/access/codes`, fields, merchant);

export const enterCode = (
  app: TestApp,
  itemId: number,
  code: string,
  fingerprint: string = randomUUID(),
  options = {},
) => {
  const fields = { item_id: itemId, code, browser_fingerprint: fingerprint };
  return call<EntryBody>(app, 'POST', '/items/access/codes/entry', fields, options);
};

/** A package that holds items. */
export async function createPackage(app: TestApp, merchant: Person, itemIds: number[]): Promise<number> {
  const { rows } = await app.pool.query<{ id: number }>(
    `INSERT INTO items (merchant_id, title, item_type) VALUES ($1, 'Season ticket', 'package') RETURNING id`,
    [merchant.id],
  );
  const packageId = rows[0]?.id ?? 0;
  for (const itemId of itemIds) await putIn(app, merchant, packageId, itemId);
  return packageId;
}

export const putIn = (app: TestApp, merchant: Person, packageId: number, itemId: number) =>
  app.pool.query('INSERT INTO package_items (merchant_id, package_id, item_id) VALUES ($1, $2, $3)', [
    merchant.id,
    packageId,
    itemId,
  ]);

export const takeOut = (app: TestApp, packageId: number, itemId: number) =>
  app.pool.query('DELETE FROM package_items WHERE package_id = $1 AND item_id = $2', [packageId, itemId]);

export const moveClock = (app: TestApp, merchant: Person, ahead: string) =>
  app.pool.query(
    `INSERT INTO test_clocks (merchant_id, ahead) VALUES ($1, $2::interval)
     ON CONFLICT (merchant_id) DO UPDATE SET ahead = excluded.ahead`,
    [merchant.id, ahead],
  );

export const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

/** A CloudFront key: the merchant has the private half, and CloudFront has the public half. */
export const cloudFrontKeys = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
