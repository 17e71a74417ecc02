import { type Page } from '../../../src/kit/pages/page';
import { call } from '../../support/client';
import { submitAndConfirm } from '../../support/confirmations';
import { createItem, createMerchant, createShop } from '../../support/factories';
import { enterConsole } from '../../support/pageWalker';
import { moveToPages } from '../../support/secondFactors';
import { startApp, type TestApp } from '../../support/startApp';
import { createVoucher } from '../../support/vouchers';

/** The forms of the console that delete something ask for a recent confirmation, before they read any row. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/** Forms that end or remove something without the question, with the reason. */
const exempt: Record<string, string> = {
  endOwnSessionInConsole: 'protects the account, also from a thief who cannot confirm',
  endCustomerSessionInConsole: 'the same, for a customer',
  endCustomerSessionsInConsole: 'the same, for a customer',
  removePasskeyInConsole: 'the rule asks for the password, the factor or a sign-in',
  deleteSavedFilterInConsole: 'is a view of a list of one person',
  takeOutOfPackage: 'changes the list of a package: the item and its prices stay',
  removeCover: 'changes a field of the item',
  removeBrandPicture: 'changes a field of the brand',
  endCodeSession: 'a user of the code can do it, too, and sign in again',
};

const deletes = /\/(?:deactivate|delete|discard|disconnect|end|erase|remove|revoke|withdraw)$/;

async function listDeletions(): Promise<[string, Page][]> {
  const { consolePages } = await import('../../../src/pages/console/pages.js');
  return Object.entries(consolePages).filter(([, { method, path }]) => method === 'post' && deletes.test(path));
}

test('403: each of them, without any row of the name', async () => {
  const merchant = await createMerchant(app);
  const walker = await enterConsole(app, merchant.email);
  await walker.open('/console/items/new');
  await moveToPages(app, merchant, '11 minutes');
  const pages = await listDeletions();
  expect(pages.length).toBeGreaterThan(20);
  const silent: string[] = [];
  for (const [name, { path }] of pages) {
    const address = path.replace('{platform}', 'apple').replaceAll(/\{\w+\}/g, '2000000000');
    const { status, text } = await walker.submit(address);
    const isAsked = status === 403 && text.includes('name="_confirm_password"');
    if (!isAsked) silent.push(name);
  }
  expect(silent.sort()).toEqual(Object.keys(exempt).sort());
});

test('403: the end of the sale of an item and of a fee asks first', async () => {
  const { merchant, item, fee } = await createShop(app);
  const walker = await enterConsole(app, merchant.email);
  const own = `/console/items/${item.id}`;
  await walker.open(own);
  await moveToPages(app, merchant, '11 minutes');
  expect((await submitAndConfirm(walker, `${own}/fees/${fee.id}/delete`)).status).toBe(303);
  await moveToPages(app, merchant, '11 minutes');
  expect((await submitAndConfirm(walker, `${own}/deactivate`)).status).toBe(303);
  const { body } = await call<{ is_active: boolean; access_fees: object[] }>(
    app,
    'GET',
    `/v2/items/${merchant.uuid}/${item.id}`,
    undefined,
    merchant,
  );
  expect(body).toMatchObject({ is_active: false, access_fees: [] });
});

test('403: a deleted voucher asks first, and an old sign-in deletes nothing', async () => {
  const merchant = await createMerchant(app);
  const voucher = await createVoucher(app, merchant);
  const path = `/vouchers/${voucher.id}`;
  const walker = await enterConsole(app, merchant.email);
  await walker.open(`/console${path}`);
  await moveToPages(app, merchant, '11 minutes');
  expect((await walker.submit(`/console${path}/delete`)).status).toBe(403);
  expect((await call(app, 'GET', path, undefined, merchant)).status).toBe(200);
  expect((await submitAndConfirm(walker, `/console${path}/delete`)).status).toBe(303);
  expect((await call(app, 'GET', path, undefined, merchant)).status).toBe(404);
});

test('403: a minimum age is set without a question, and removed with it', async () => {
  const merchant = await createMerchant(app);
  const item = await createItem(app, merchant);
  const walker = await enterConsole(app, merchant.email);
  const own = `/console/items/${item.id}/restrictions`;
  await walker.open(own);
  await moveToPages(app, merchant, '11 minutes');
  expect((await walker.submit(`${own}/age`, { min_age: '16' })).status).toBe(303);
  expect((await submitAndConfirm(walker, `${own}/age`, { min_age: '' })).status).toBe(303);
  expect((await call(app, 'GET', `/restrictions/age/item/${item.id}`, undefined, merchant)).status).toBe(404);
});
