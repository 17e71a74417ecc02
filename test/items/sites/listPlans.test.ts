import { randomUUID } from 'node:crypto';
import { call } from '../../support/client';
import { createFee, createItem, createMerchant, createShop } from '../../support/factories';
import { listPlans } from '../../support/sites';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const isoText = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;
const inDays = (days: number) => Math.floor(Date.now() / 1000) + days * 86_400;

test('200: an item that is subscribed to, under the names of both kinds of clients', async () => {
  const { merchant, item, fee } = await createShop(app, {
    external_fees: [
      { payment_provider_id: 3, external_id: 'org.example.monthly' },
      { payment_provider_id: 4, external_id: 'monthly' },
    ],
  });
  const yearly = await createFee(app, merchant, item.id, { period: 'year', amount: '99' });
  await createFee(app, merchant, item.id, { access_type: 'ppv' });
  const { status, body } = await listPlans(app, merchant.uuid);
  expect(status).toBe(200);
  expect(body).toEqual({
    page: 1,
    total: 1,
    page_length: 10,
    plans: [
      {
        id: String(item.id),
        original_id: item.id,
        type: 'plan',
        schema: null,
        created: isoText,
        last_modified: isoText,
        metadata: {
          name: 'Cup final',
          access_model: 'svod',
          tags: { include: [], exclude: [] },
          custom_params: { include: {}, exclude: {} },
          access: {
            drm_policy_id: null,
            include_tags: null,
            exclude_tags: null,
            include_custom_params: null,
            exclude_custom_params: null,
          },
          external_providers: { stripe: null, apple: 'org.example.monthly', google: 'monthly' },
        },
        relationships: { prices: [fee, yearly].map(({ id }) => ({ id: String(id), type: 'price' })) },
      },
    ],
  });
});

test('200: no item that is only sold once, is not on sale now, or is another merchant’s', async () => {
  const merchant = await createMerchant(app);
  const [once, later, past, retired, inactive] = await Promise.all(
    Array.from({ length: 5 }, async () => (await createItem(app, merchant)).id),
  );
  await createItem(app, merchant);
  await createFee(app, merchant, once ?? 0, { access_type: 'ppv' });
  await createFee(app, merchant, later ?? 0, { starts_at: inDays(1) });
  await createFee(app, merchant, past ?? 0, { expires_at: inDays(-1) });
  const fee = await createFee(app, merchant, retired ?? 0);
  await call(app, 'DELETE', `/items/access-fees/${fee.id}`, undefined, merchant);
  await createFee(app, merchant, inactive ?? 0);
  await call(app, 'DELETE', `/items/${inactive ?? 0}`, undefined, merchant);
  await createShop(app);
  expect((await listPlans(app, merchant.uuid)).body).toEqual({ page: 1, total: 0, page_length: 10, plans: [] });
});

test('200: page by page, newest first, for an OAuth app’s id too', async () => {
  const { merchant, item } = await createShop(app);
  const ids = [item.id];
  for (let count = 0; count < 2; count += 1) {
    const { id } = await createItem(app, merchant);
    await createFee(app, merchant, id);
    ids.unshift(id);
  }
  const { body: oauthApp } = await call<{ client_id: string }>(app, 'POST', '/accounts/apps', { name: 'TV' }, merchant);
  const pages = [];
  for (const page of [0, 1, 2])
    pages.push((await listPlans(app, oauthApp.client_id, `?page=${page}&page_length=2`)).body);
  expect(pages.map(({ page, total, page_length }) => [page, total, page_length])).toEqual([
    [1, 3, 2],
    [1, 3, 2],
    [2, 3, 2],
  ]);
  expect(pages.slice(1).flatMap(({ plans }) => plans.map((plan) => plan.original_id))).toEqual(ids);
});

test('404 account_not_found: no such merchant', async () => {
  expect(await listPlans(app, randomUUID())).toMatchObject({ status: 404, body: { error: 'account_not_found' } });
});

test('422 invalid_input: a page of more than 500', async () => {
  const { uuid } = await createMerchant(app);
  expect(await listPlans(app, uuid, '?page_length=501')).toMatchObject({
    status: 422,
    body: { errors: { page_length: expect.any(String) as string } },
  });
});
