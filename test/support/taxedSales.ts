import { call } from './client';
import { createConsumer, type Shop } from './factories';
import { issued } from './invoices';
import { createPayShop, paid } from './payments';
import { type TestApp } from './startApp';
import { nameSeller } from './tax';

/** Sales of sellers in different countries. */

export interface Seller {
  country: string;
  registrations: Record<string, unknown>[];
  itemKind?: string;
}

/** A shop of a seller with registrations. */
export async function createSeller(
  app: TestApp,
  { country, registrations, itemKind }: Seller,
  fee: Record<string, unknown>,
) {
  const shop = await createPayShop(app, fee);
  const profile = { seller_name: 'News Ltd', address_line: 'Main St 1', postal_code: '1000', city: 'City', country };
  const body = { ...profile, ...(itemKind !== undefined && { item_kind: itemKind }) };
  expect((await call(app, 'PUT', '/v2/tax/settings', body, shop.merchant)).status).toBe(200);
  for (const registration of registrations)
    expect((await call(app, 'POST', '/v2/tax/registrations', registration, shop.merchant)).status).toBe(201);
  return shop;
}

/** A purchase by a new customer with an address. Returns the token of the charge. */
export async function sellTo(app: TestApp, shop: Shop, buyer: Record<string, unknown>): Promise<string> {
  const consumer = await createConsumer(app, shop.merchant);
  const address = { name: 'Ana Petrova', address_line: 'Street 1', postal_code: '1000', city: 'City', ...buyer };
  expect((await call(app, 'PUT', '/v2/accounts/billing-details', address, consumer)).status).toBe(200);
  return paid(app, { ...shop, consumer });
}

/** A sale of two days for 4.50 EUR in Germany: 3.78 and 0.72 tax. `at`: the merchant's clock moves to this time before it. */
export async function sellInGermany(app: TestApp, at?: string): Promise<{ shop: Shop; token: string }> {
  const shop = await createPayShop(app);
  await nameSeller(app, shop);
  if (at !== undefined) await call(app, 'POST', '/test-clock', { to: at }, shop.merchant);
  return { shop, token: await paid(app, shop) };
}

/** The documents of a seller in the order of their numbers. Amounts are in minor units. */
export const documentsOf = async (app: TestApp, shop: Shop) =>
  (await issued(app, shop.merchant)).map(({ kind, net, tax, gross }) => ({ kind, net, tax, gross }));
