import { type z } from 'zod';
import { type BrandResponse } from '../../src/branding/branding.schemas';
import { call, type Reply } from './client';
import { type Person } from './factories';
import { type TestApp } from './startApp';

export { brandFields, createBrand } from './examples/branding';

/** A brand as anyone reads it. */
export function readBrand(app: TestApp, merchantOrClient: string, id: number | string = 'default') {
  return call<z.output<typeof BrandResponse>>(app, 'GET', `/branding/paywall/${merchantOrClient}/${id}`);
}

/** The ids of the merchant's brands that are its default: always one. */
export async function defaultsOf(app: TestApp, merchant: Person): Promise<number[]> {
  const { rows } = await app.pool.query<{ id: number }>(
    'SELECT id FROM brands WHERE merchant_id = $1 AND is_default ORDER BY id',
    [merchant.id],
  );
  return rows.map(({ id }) => id);
}

/** The stored brands of a merchant, to prove that nothing changed. */
export async function storedBrands(app: TestApp, merchant: Person): Promise<object[]> {
  return (await app.pool.query<object>('SELECT * FROM brands WHERE merchant_id = $1 ORDER BY id', [merchant.id])).rows;
}

export const refused = (field: string) => ({
  status: 422,
  body: { error: 'invalid_input', errors: { [field]: expect.any(String) as string } },
});

export type Saved = Reply<{ id: number }>;
