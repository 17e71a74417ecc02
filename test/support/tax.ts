import { call } from './client';
import { type Shop } from './factories';
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
): Promise<void> {
  expect((await call(app, 'PUT', '/v2/tax/settings', seller, merchant)).status).toBe(200);
  for (const fields of registrations)
    expect((await call(app, 'POST', '/v2/tax/registrations', fields, merchant)).status).toBe(201);
}
