import { type z } from 'zod';
import { type OfferedFee } from '../../src/vouchers/feeRules.schemas';
import { type ItemWithFees } from '../../src/items/assets.schemas';
import { type PackageResponse } from '../../src/items/packages.schemas';
import { call } from './client';
import { createItem, type Person, type Shop } from './factories';
import { grant } from './grant';
import { type TestApp } from './startApp';

export type Fee = z.output<typeof OfferedFee>;
export type Card = z.output<typeof ItemWithFees>;
export type Package = z.output<typeof PackageResponse>;

export interface Page<Row> {
  total: number;
  page: number;
  offset: number;
  limit: number;
  collection: Row[];
}

export const idsOf = (rows: readonly { id: number }[]) => rows.map(({ id }) => id);

/** Items under these titles, in this order. */
export async function createItems(app: TestApp, merchant: Person, titles: readonly string[]) {
  const items = [];
  for (const title of titles) items.push(await createItem(app, merchant, { title }));
  return items;
}

export async function createPackage(
  app: TestApp,
  merchant: Person,
  fields: Record<string, unknown> = {},
): Promise<Package> {
  const path = '/items/packages';
  const { status, body } = await call<Package>(app, 'POST', path, { title: 'Season ticket', ...fields }, merchant);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}

/** A consumer has bought at the fee. */
export async function sell(app: TestApp, { merchant, consumer, item }: Omit<Shop, 'fee'>, fee: Fee): Promise<void> {
  const { id } = await grant(app, { merchant, consumer, item }, { from: '-1 hour', to: '1 hour' });
  await app.pool.query('UPDATE accesses SET access_fee_id = $2 WHERE id = $1', [id, fee.id]);
}
