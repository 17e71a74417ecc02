import { createFee } from '../../support/factories';
import { openPortalElsewhere } from '../../support/portalCards';
import { question } from '../../support/savedCards';
import { startApp, type TestApp } from '../../support/startApp';

/** The first use of a saved card in a browser. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

test('409 card_confirmation_required: a dearer plan in a browser that has not used the card; after a code it changes', async () => {
  const { shop, path, walker, confirm } = await openPortalElsewhere(app);
  const fee = String((await createFee(app, shop.merchant, shop.item.id, { amount: '19.99' })).id);
  const chosen = { access_fee_id: fee, mode: 'now' };
  const asked = await walker.submit(`${path}/switch`, chosen);
  expect([asked.status, asked.text.includes(question)]).toEqual([409, true]);
  const refused = await walker.submit(`${path}/card-code`, { at: 'switch', fee, pin_code: '000000' });
  expect(refused.status).toBe(422);
  const { status, headers } = await confirm({ at: 'switch', fee });
  expect([status, headers.get('location')]).toEqual([303, `${path}/switch?fee=${fee}`]);
  expect((await walker.submit(`${path}/switch`, chosen)).status).toBe(303);
});

test('200: a plan that charges nothing now asks for no code', async () => {
  const { shop, path, walker } = await openPortalElsewhere(app);
  const fee = String((await createFee(app, shop.merchant, shop.item.id, { amount: '1.99' })).id);
  const { status } = await walker.submit(`${path}/switch`, { access_fee_id: fee, mode: 'next_period' });
  expect(status).toBe(303);
});
