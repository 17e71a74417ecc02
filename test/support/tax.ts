import { call } from './client';
import { type Person, type Shop } from './factories';
import { type TestApp } from './startApp';

export const seller = {
  seller_name: 'News Ltd',
  address_line: 'Main St 1',
  postal_code: '10115',
  city: 'Berlin',
  country: 'DE',
};

/** A registration at the seller's home. */
export const atHome = { country: 'DE', scheme: 'domestic', number: 'DE136695976' };

/** Names the seller, with the given registrations. */
export async function nameSeller(
  app: Pick<TestApp, 'address'>,
  { merchant }: Pick<Shop, 'merchant'>,
  registrations: readonly Record<string, unknown>[] = [atHome],
  fields: Record<string, unknown> = {},
): Promise<void> {
  expect((await call(app, 'PUT', '/v2/tax/settings', { ...seller, ...fields }, merchant)).status).toBe(200);
  for (const fields of registrations)
    expect((await call(app, 'POST', '/v2/tax/registrations', fields, merchant)).status).toBe(201);
}

/** Names a seller whose prices are without tax. */
export const nameNetSeller = (app: Pick<TestApp, 'address'>, shop: Pick<Shop, 'merchant'>) =>
  nameSeller(app, shop, [atHome], { prices_include_tax: false });

export interface TaxedCharge {
  cycle: number;
  status: string;
  net: number;
  tax: number;
  gross: number;
  balance: number;
  rate: number;
  country: string;
}

/** The charges of a merchant with their tax, in minor units. The rate is in thousandths of a percent. */
export async function taxedCharges({ pool }: Pick<TestApp, 'pool'>, { id }: Person): Promise<TaxedCharge[]> {
  const text = `SELECT c.cycle, c.status, t.net_minor::int AS net, t.tax_minor::int AS tax, c.amount_minor::int AS gross,
      c.balance_minor::int AS balance, t.rate_milli AS rate, t.country
    FROM charges c LEFT JOIN charge_taxes t ON t.charge_id = c.id WHERE c.merchant_id = $1 ORDER BY c.id`;
  return (await pool.query<TaxedCharge>(text, [id])).rows;
}
